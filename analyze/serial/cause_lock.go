package serial

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
)

// lockContention: threads wait for a lock that another holds. The lock is in the trace, or it is hidden inside a call and shows
// in how the calls hold each other up.
func lockContention(a *Analysis, f *facts) Finding {
	r := Finding{Cause: LockContention, Confidence: 0.9, Advice: "shorten what is done under the lock, or give each thread its own"}
	seen := lockFinding(r, a, f, func(name string) bool { return !isInterpreterLock(name) })
	if seen.Holds {
		return seen
	}
	tested := ""
	for i := range a.Interference {
		t := &a.Interference[i]
		if t.OneAtATime() {
			r.Holds, r.Confidence = true, 0.75
			r.Lost = t.Lost
			r.say("%s takes %s when no other thread is inside, and the longer the more threads are inside: rank correlation %.2f, p = %.3f, %d calls",
				t.What, t.Solo, t.Rho, t.PValue, t.Calls)
			switch {
			case t.HandOff:
				r.say("calls end one after the other with a regular time between, as when each hands a lock to the next")
			case t.OneServer > 0:
				r.say("calls are served one at a time: behind each other they take %.2f of the time of a call alone", t.OneServer)
			default:
				r.say("calls are served one at a time: %s of their duration goes with the number of threads inside", percent(min(1, t.Effect)))
			}
			r.say("which lock it is, is not in the trace; it costs %s, %s of the threads' time", r.Lost, percent(f.share(r.Lost)))
			if t.What == "commit" {
				f.lockInCommit = t.Lost
			}
			return r
		}
		tested += fmt.Sprintf("; %s takes no longer when other threads are inside (rank correlation %.2f)", t.What, t.Rho)
		if t.Interferes() {
			tested += ", or not in the way that one lock would make it"
		}
	}
	if len(a.Trace.Locks) == 0 {
		return r.not("no wait for a lock is in the trace%s", tested)
	}
	return seen
}

// interpreterLock: threads wait for the lock of a language interpreter.
func interpreterLock(a *Analysis, f *facts) Finding {
	r := Finding{Cause: InterpreterLock, Confidence: 0.9,
		Advice: "release the interpreter's lock while waiting for the GPU, or use processes instead of threads"}
	if len(a.Trace.Locks) == 0 {
		return r.not("whether it was held is not in the trace")
	}
	return lockFinding(r, a, f, isInterpreterLock)
}

// isInterpreterLock knows CPython's global lock by the symbols of the code that takes it.
func isInterpreterLock(name string) bool {
	n := strings.ToLower(name)
	return n == "gil" || strings.Contains(n, "take_gil") || strings.Contains(n, "interpreter lock") || strings.Contains(n, "_pyruntime")
}

// lockFinding sums the waits for locks of one sort.
func lockFinding(r Finding, a *Analysis, f *facts, sort func(name string) bool) Finding {
	type use struct {
		name    string
		waits   int
		time    analyze.Nanos
		holders map[*analyze.Thread]analyze.Nanos
	}
	type key struct {
		process *analyze.Process
		lock    uint32
		name    string
	}
	by := map[key]*use{}
	var uses []*use
	for _, l := range a.Trace.Locks {
		if !sort(l.Name) {
			continue
		}
		k := key{l.Thread.Process, l.Lock, l.Name}
		u := by[k]
		if u == nil {
			u = &use{name: l.Name, holders: map[*analyze.Thread]analyze.Nanos{}}
			if u.name == "" {
				u.name = fmt.Sprintf("lock %d (%s)", l.Lock, l.Selector)
			}
			by[k] = u
			uses = append(uses, u)
		}
		u.waits++
		u.time += l.Own
		if l.Holder != nil {
			u.holders[l.Holder] += l.Own
		}
		r.Lost += l.Own
	}
	if r.Lost == 0 {
		return r.not("no thread waited for such a lock")
	}
	slices.SortStableFunc(uses, func(x, y *use) int { return compare(y.time, x.time) })
	r.Holds = true
	for _, u := range uses[:min(3, len(uses))] {
		var holders []*analyze.Thread
		for h := range u.holders {
			holders = append(holders, h)
		}
		slices.SortFunc(holders, func(x, y *analyze.Thread) int {
			if c := compare(u.holders[y], u.holders[x]); c != 0 {
				return c
			}
			return compare(uint64(x.ID), uint64(y.ID))
		})
		held := "by whom it was held is not known"
		if len(holders) > 0 {
			held = "held by"
			for i, h := range holders[:min(4, len(holders))] {
				if i > 0 {
					held += ","
				}
				held += fmt.Sprintf(" thread %d (%s)", h.ID, percent(share(u.holders[h], u.time)))
			}
		}
		r.say("%s: %d waits, %s, %s", u.name, u.waits, u.time, held)
	}
	r.say("that is %s of the threads' time", percent(f.share(r.Lost)))
	return r
}
