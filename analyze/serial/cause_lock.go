package serial

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// lockContention: threads wait for a lock that another holds. The lock is in the trace, or it is hidden inside a call and shows
// in how the calls hold each other up.
func lockContention(a *Analysis, f *facts) Finding {
	r := Finding{Cause: LockContention, Confidence: policy.Recorded, Advice: "shorten what is done under the lock, or give each thread its own"}
	seen := lockFinding(r, a, f, func(l *analyze.LockWait) bool { return !l.OfInterpreter() })
	hidden := hiddenLock(r, a, f)
	switch {
	case hidden.Holds && !policy.AtLeast(policy.Most, seen.Lost, hidden.Lost): // a short wait for some lock does not say that there is no other
		if seen.Holds {
			hidden.say("of the locks that are in the trace: %s", seen.Evidence[0])
		}
		if hidden.turns {
			f.turnsLost = hidden.Lost
		} else if hidden.inCommit {
			f.lockInCommit = hidden.Lost
		}
		return hidden
	case !seen.Holds && len(a.Trace.Locks) == 0:
		return hidden
	}
	return seen
}

// hiddenLock finds a lock that is not in the trace by how it shapes what is: calls that hold each other up, threads that take turns.
func hiddenLock(r Finding, a *Analysis, f *facts) Finding {
	tested := ""
	for i := range a.Interference {
		t := &a.Interference[i]
		if t.OneAtATime() {
			r.Holds, r.Confidence = true, policy.Inferred
			r.Lost, r.inCommit = t.Lost, t.What == "commit"
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
			return r
		}
		tested += fmt.Sprintf("; %s takes no longer when other threads are inside (rank correlation %.2f)", t.What, t.Rho)
		if t.Interferes() {
			tested += ", or not in the way that one lock would make it"
		}
	}
	// An interpreter's threads take turns for its own lock, unless that is in the trace: then it is another.
	if turns := a.turns(f); turns != nil && !a.turnsAreInterpreters(f) {
		r.Confidence = policy.Guessed
		turns.tell(&r, f)
		r.say("what they keep meanwhile is not in the trace: a lock, a serial queue, or one task that is handed from thread to thread")
		a.mayBeTheNext(f, &r)
		return r
	}
	return r.not("no wait for a lock is in the trace%s", tested)
}

// mayBeTheNext says that the GPU, which the lock lets one thread use at a time, may have no room for more.
func (a *Analysis) mayBeTheNext(f *facts, r *Finding) {
	if f.busy >= policy.Busy.Value && a.GPU.Overlap < 1+policy.Little.Value && f.share(r.Lost) >= policy.WorthNaming.Value {
		r.Confidence = min(r.Confidence, policy.Inferred)
		r.say("the GPU was busy for %s of the time, with one command buffer at a time: whether it can run more at once without the lock is not seen", percent(f.busy))
	}
}
