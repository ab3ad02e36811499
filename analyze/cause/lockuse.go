package cause

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A lockUse sums up the waits for all locks that have the same name.
type lockUse struct {
	name    string
	locks   map[evidence.LockKey]bool
	waits   int
	time    analyze.Nanos
	holders map[*analyze.Thread]analyze.Nanos // for how long each thread held the lock
}

// lockFinding completes r with the cost, evidence and summary of waits for the locks that `sort` selects. Waits for a
// lock between needless waits for GPU work are left out, because the cause device-wide-sync counts them.
func lockFinding(r Finding, ev *evidence.Evidence, sort func(*analyze.LockWait) bool) Finding {
	var by evidence.Ordered[string, lockUse]
	aside, hanging := analyze.Nanos(0), analyze.Nanos(0)
	for l := range analyze.Each(ev.ThreadWaits.Locks) {
		if !sort(l) || !ev.Submitters.TakesPart[l.Thread] {
			// if only Metal's own threads wait for the lock, the program loses nothing
			continue
		}
		own := l.Own - ev.Syncs.Hangs(l)
		if hanging += l.Own - own; own == 0 {
			continue
		}
		by.Of(lockName(l)).add(l, own)
		r.Lost += own
		if ev.Submitters.Aside(l.Thread) {
			aside += own
		}
	}
	if r.Cause == LockContention {
		r.standAside(ev, aside)
	}
	if r.Lost == 0 {
		if hanging > 0 {
			return r.not(
				"threads waited for a lock (%s of their time) only between waits for other threads' command buffers",
				percent(ev.Submitters.Share(hanging)))
		}
		if r.Cause == InterpreterLock {
			return r.not("no thread that uses the GPU waited for the GIL")
		}
		return r.not("no thread that uses the GPU waited for a lock")
	}
	uses := by.All
	slices.SortStableFunc(uses, func(x, y *lockUse) int { return cmp.Compare(y.time, x.time) })
	r.Holds = true
	for _, u := range uses[:min(policy.MostLocks, len(uses))] {
		r.say("%s%s: %s, %s, %s", u.name, u.several(), analyze.Plural(u.waits, "wait"), u.time, u.heldBy())
	}
	r.say("all waits for locks take %s of the threads' time", percent(ev.Submitters.Share(r.Lost)))
	if ev.Submitters.Share(hanging) >= policy.Negligible.Value {
		r.say("waits for a lock between waits for other threads' command buffers, "+
			"%s of their time, are counted as device-wide-sync instead", percent(ev.Submitters.Share(hanging)))
	}
	if r.Cause == InterpreterLock {
		r.sum("Threads wait %s of their time for the GIL, the global interpreter lock, "+
			"which lets one of them run at a time.",
			percent(ev.Submitters.Share(r.Lost)))
	} else {
		r.sum("Threads wait for a lock for %s of their time, most of it for %s.", percent(ev.Submitters.Share(r.Lost)),
			uses[0].name)
	}
	return r
}

func lockName(l *analyze.LockWait) string {
	if l.Name == "" {
		return fmt.Sprintf("the lock at %#x (%s)", l.Lock, l.Selector)
	}
	return "the lock " + l.Name
}

// several returns how many locks have the name, as text in parentheses; "" if there is only one.
func (u *lockUse) several() string {
	if len(u.locks) < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d of that name)", len(u.locks))
}

func (u *lockUse) add(l *analyze.LockWait, own analyze.Nanos) {
	if u.waits++; u.locks == nil {
		u.name, u.locks, u.holders = lockName(l), map[evidence.LockKey]bool{}, map[*analyze.Thread]analyze.Nanos{}
	}
	u.locks[evidence.KeyOf(l)] = true
	u.time += own
	if l.Holder != nil {
		u.holders[l.Holder] += own
	}
}

// heldBy names the threads that held the lock while others waited: "held by A 1 (60%), B 2 (40%)".
func (u *lockUse) heldBy() string {
	if len(u.holders) == 0 {
		return "the holder is not known"
	}
	return "held by " + sharesOf(u.holders, u.time)
}
