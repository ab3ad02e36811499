package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A lockUse sums the waits for one lock.
type lockUse struct {
	name    string
	waits   int
	time    analyze.Nanos
	holders map[*analyze.Thread]analyze.Nanos // of time, what each held the lock for
}

// lockFinding sums the waits for locks of one sort.
func lockFinding(r Finding, ev *evidence.Evidence, sort func(*analyze.LockWait) bool) Finding {
	takesPart := map[*analyze.Thread]bool{} // waits of the framework's own threads cost the program nothing by themselves
	for _, t := range ev.Taking {
		takesPart[t.Thread] = true
	}
	by := map[evidence.LockKey]*lockUse{}
	var uses []*lockUse
	aside, hanging := analyze.Nanos(0), analyze.Nanos(0)
	for i := range ev.Trace.Locks {
		l := &ev.Trace.Locks[i]
		if !sort(l) || !takesPart[l.Thread] {
			continue
		}
		if ev.Hangs(l) {
			hanging += l.Own
			continue
		}
		u := by[evidence.KeyOf(l)]
		if u == nil {
			u = newLockUse(l)
			by[evidence.KeyOf(l)] = u
			uses = append(uses, u)
		}
		u.add(l)
		r.Lost += l.Own
		if !ev.Submits[l.Thread] {
			aside += l.Own
		}
	}
	if policy.AtLeast(policy.NearlyAll, aside, r.Lost) && ev.Occupied >= policy.Busy.Value && r.Cause == LockContention {
		r.Standing = Aside
	}
	if r.Lost == 0 {
		if hanging > 0 {
			return r.not("threads waited for it, %s of their time, only on the way from one wait for others' work to the next", percent(ev.Share(hanging)))
		}
		if r.Cause == InterpreterLock {
			return r.not("no thread that takes part waited for the interpreter's lock")
		}
		return r.not("no thread that takes part waited for a lock")
	}
	slices.SortStableFunc(uses, func(x, y *lockUse) int { return cmp.Compare(y.time, x.time) })
	r.Holds = true
	for _, u := range uses[:min(policy.MostLocks, len(uses))] {
		r.say("%s: %s, %s, %s", u.name, plural(u.waits, "wait"), u.time, u.heldBy())
	}
	r.say("that is %s of the threads' time", percent(ev.Share(r.Lost)))
	if ev.Share(hanging) >= policy.Negligible.Value {
		r.say("waits on the way from one wait for others' work to the next, %s of their time, are not counted: they go with those", percent(ev.Share(hanging)))
	}
	mayBeTheNext(ev, &r)
	if r.Cause == InterpreterLock {
		r.sum("Threads wait for the interpreter's lock for %s of their time.", percent(ev.Share(r.Lost)))
	} else {
		r.sum("Threads wait for a lock for %s of their time, most of it for %s.", percent(ev.Share(r.Lost)), uses[0].name)
	}
	return r
}

func newLockUse(l *analyze.LockWait) *lockUse {
	u := &lockUse{name: "the lock " + l.Name, holders: map[*analyze.Thread]analyze.Nanos{}}
	if l.Name == "" {
		u.name = fmt.Sprintf("the lock at %#x (%s)", l.Lock, l.Selector)
	}
	return u
}

func (u *lockUse) add(l *analyze.LockWait) {
	u.waits++
	u.time += l.Own
	if l.Holder != nil {
		u.holders[l.Holder] += l.Own
	}
}

// heldBy is "held by A 1 (60 %), B 2 (40 %)".
func (u *lockUse) heldBy() string {
	var holders []*analyze.Thread
	for h := range u.holders {
		holders = append(holders, h)
	}
	if len(holders) == 0 {
		return "by whom it was held is not known"
	}
	slices.SortFunc(holders, func(x, y *analyze.Thread) int {
		return cmp.Or(cmp.Compare(u.holders[y], u.holders[x]), cmp.Compare(uint64(x.ID), uint64(y.ID)))
	})
	var named []string
	for _, h := range holders[:min(policy.MostHolders, len(holders))] {
		named = append(named, fmt.Sprintf("%s (%s)", evidence.ThreadName(h), percent(evidence.Share(u.holders[h], u.time))))
	}
	return "held by " + strings.Join(named, ", ")
}
