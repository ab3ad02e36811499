package serial

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
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
func lockFinding(r Finding, a *Analysis, f *facts, sort func(*analyze.LockWait) bool) Finding {
	takesPart := map[*analyze.Thread]bool{} // waits of the framework's own threads cost the program nothing by themselves
	for _, t := range f.threads {
		takesPart[t.Thread] = true
	}
	by := map[lockKey]*lockUse{}
	var uses []*lockUse
	aside, hanging := analyze.Nanos(0), analyze.Nanos(0)
	for i := range a.Trace.Locks {
		l := &a.Trace.Locks[i]
		if !sort(l) || !takesPart[l.Thread] {
			continue
		}
		if f.hangs(l) {
			hanging += l.Own
			continue
		}
		u := by[keyOf(l)]
		if u == nil {
			u = newLockUse(l)
			by[keyOf(l)] = u
			uses = append(uses, u)
		}
		u.add(l)
		r.Lost += l.Own
		if !f.submits[l.Thread] {
			aside += l.Own
		}
	}
	r.aside = policy.AtLeast(policy.NearlyAll, aside, r.Lost)
	if r.Lost == 0 {
		if hanging > 0 {
			return r.not("threads waited for it, %s of their time, only on the way from one wait for others' work to the next", percent(f.share(hanging)))
		}
		if r.Cause == InterpreterLock {
			return r.not("no thread that takes part waited for the interpreter's lock")
		}
		return r.not("no thread that takes part waited for a lock")
	}
	slices.SortStableFunc(uses, func(x, y *lockUse) int { return compare(y.time, x.time) })
	r.Holds, r.lock = true, uses[0].name
	for _, u := range uses[:min(policy.MostLocks, len(uses))] {
		r.say("%s: %s, %s, %s", u.name, plural(u.waits, "wait"), u.time, u.heldBy())
	}
	r.say("that is %s of the threads' time", percent(f.share(r.Lost)))
	if f.share(hanging) >= policy.Negligible.Value {
		r.say("waits on the way from one wait for others' work to the next, %s of their time, are not counted: they go with those", percent(f.share(hanging)))
	}
	a.mayBeTheNext(f, &r)
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
		return cmp.Or(compare(u.holders[y], u.holders[x]), compare(uint64(x.ID), uint64(y.ID)))
	})
	var named []string
	for _, h := range holders[:min(policy.MostHolders, len(holders))] {
		named = append(named, fmt.Sprintf("%s (%s)", threadName(h), percent(share(u.holders[h], u.time))))
	}
	return "held by " + strings.Join(named, ", ")
}
