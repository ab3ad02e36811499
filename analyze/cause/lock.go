package cause

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// lockContention holds if threads wait for a lock that another thread holds. The trace has the lock's waits, or the
// lock is hidden inside a call and is found because calls delay each other.
func lockContention(ev *evidence.Evidence) Finding {
	r, _ := findLock(ev)
	return r
}

// A hiddenBy is the effect by which findLock recognized a lock whose waits are not in the trace.
type hiddenBy uint8

const (
	notHidden hiddenBy = iota
	hiddenInCommit
	hiddenInEncoder
	hiddenByTurns
	hiddenBySpinning
)

// findLock applies the rule lockContention and also returns how the lock was found.
func findLock(ev *evidence.Evidence) (Finding, hiddenBy) {
	r := Finding{Cause: LockContention, Confidence: policy.ConfidenceRecorded,
		Advice: "do less while holding the lock, or give each thread a lock of its own"}
	seen := lockFinding(r, ev, func(l *analyze.LockWait) bool { return !l.OfInterpreter() })
	hidden, by := hiddenLock(r, ev)
	switch {
	case hidden.Present && !policy.AtLeast(policy.Majority, seen.Lost, hidden.Lost):
		// recorded waits that are short do not rule out a hidden lock that costs more
		if seen.Present {
			hidden.explain("of the recorded locks: %s", seen.Evidence[0])
		}
		return hidden, by
	case !seen.Present && len(ev.ThreadWaits.Locks) == 0:
		return hidden, by
	}
	return seen, notHidden
}

// hiddenLock finds a lock that the trace does not have by its effects: calls that delay each other, threads that take
// turns at using the GPU, or threads that slow each other down outside of Metal.
func hiddenLock(r Finding, ev *evidence.Evidence) (Finding, hiddenBy) {
	tested := ""
	for t := range analyze.Each(ev.Tests.Interference) {
		if t.OneAtATime() {
			r.Present, r.Confidence, r.QValue = true, policy.ConfidenceInferred, t.QValue
			r.Lost = t.Lost
			r.explain("%s takes %s when no other thread is in it, and longer the more threads are in it: "+
				"rank correlation %.2f, p = %.3f, %d calls",
				t.What, t.Solo, t.Rho, t.PValue, t.Calls)
			switch {
			case t.HandOff:
				r.explain("calls end one after another at regular intervals, as when each passes a lock to the next")
			case t.OneServer > 0:
				r.explain("calls are served one at a time: a queued call takes %.2f of the time of a call alone",
					t.OneServer)
			default:
				r.explain(
					"calls are served one at a time: %s of their duration depends on the number of threads in the call",
					percent(min(1, t.Effect)))
			}
			r.explain("the lock itself was not recorded; it costs %s, %s of the threads' time", r.Lost,
				percent(ev.Submitters.Share(r.Lost)))
			r.summarize("Threads spend %s of their time waiting for an unrecorded lock inside one call (%s): "+
				"the more threads are in it, the longer the call takes.",
				percent(ev.Submitters.Share(r.Lost)), t.What)
			if t.What != "commit" {
				return r, hiddenInEncoder
			}
			r.at = &callGroup{analyze.PartCommit, "commit"}
			return r, hiddenInCommit
		}
		tested += fmt.Sprintf("; %s takes no longer when other threads are in it (rank correlation %.2f)", t.What,
			t.Rho)
		if t.Interferes() {
			tested += ", or longer in a way that no single lock explains"
		}
	}
	// Threads of an interpreter take turns because of the GIL, which has its own rule. Their turns reveal another lock
	// only if the trace has the waits for the GIL, so that these can be told apart.
	turns := ev.Turns.Waits
	if turns == nil {
		turns = ev.Turns.RoundTrips
	}
	if p := ev.Turns.Passed; p != nil {
		return r.reject("%d threads take turns because each waits for the signal of the thread before it, "+
			"%d times, %s in all: one task passes from thread to thread, and no lock is shared", len(p.Threads), p.Waits,
			p.Waited), notHidden
	}
	if turns != nil && policy.MoreThan(policy.Majority, ev.Starvation.Inputs.Paced, turns.Lost) {
		return r.reject("threads take turns because they wait for input, as for a token that comes through a pipe: " +
			"no lock is shared"), notHidden
	}
	if turns != nil && !evidence.TurnsAreInterpreters(ev.Trace, ev.ThreadWaits.Locks, ev.Processors.OneAtATime) {
		r.Confidence = policy.ConfidenceGuessed
		r.takeTurns(turns, ev)
		r.explain("the trace does not show why they alternate: " +
			"a lock, a serial queue, or one task that passes from thread to thread")
		r.summarize("Threads alternate in waiting for the GPU although nothing is queued for it, "+
			"as threads that share a lock do: that costs %s of their time.", percent(ev.Submitters.Share(r.Lost)))
		r.at = &callGroup{analyze.PartCommit, "commit"}
		return r, hiddenByTurns
	}
	if o := ev.OwnWork; o != nil && o.HandOff && ev.Submitters.Share(o.Lost) >= policy.WorthNaming.Value {
		r.Present, r.Confidence, r.Lost = true, policy.ConfidenceGuessed, o.Lost
		r.explain("outside of Metal a thread takes %s alone, and longer the more other threads are there: "+
			"threads leave it one after another at regular intervals (%d times)", o.Solo, o.Calls)
		r.explain("as far as the trace shows, the threads do not sleep there, as with a spin lock; "+
			"that costs %s, %s of their time",
			r.Lost, percent(ev.Submitters.Share(r.Lost)))
		r.Advice = "find with a CPU profiler what the threads run between their waits for the GPU, " +
			"and shorten what runs one at a time"
		r.at, r.removalChange = &nowhere, notRemovable(
			"threads run while they wait for their turn, and the trace does not show how much of that is work")
		r.summarize("Threads run one at a time outside of Metal, as threads that share a spin lock do: "+
			"that costs %s of their time.", percent(ev.Submitters.Share(r.Lost)))
		return r, hiddenBySpinning
	}
	return r.reject("no wait for a lock is in the trace%s", tested), notHidden
}

// takeTurns fills the finding from `t`, which shows that threads use the GPU one after the other: the time that they
// lose, and the evidence that they alternate.
func (r *Finding) takeTurns(t *evidence.TakingTurns, ev *evidence.Evidence) {
	r.Present, r.Lost, r.QValue = true, max(0, t.Lost), t.Exclusion.QValue
	all, one := "wait for the GPU", "does"
	if t.Exclusion.What != "waits" {
		all, one = "are between making a command buffer and the end of the wait for it", "is"
	}
	kept := fmt.Sprintf(", although for %s of the time one of them %s and nothing is queued for it",
		percent(t.Coverage), one)
	if t.Starved {
		kept = ", and no timer makes them alternate: they run, or wait for a processor, for most of the remaining time"
	}
	r.explain("%d threads never %s at the same time (mutual exclusion %.2f, p = %.3f)%s", t.Exclusion.Threads, all,
		t.Exclusion.Index, t.Exclusion.PValue, kept)
	r.explain("while one thread has its turn, the other threads are outside of Metal: for %s, %s of the threads' time",
		r.Lost, percent(ev.Submitters.Share(r.Lost)))
	r.removalChange = removedBy(replay.Change{Turns: true})
	if policy.MoreThan(policy.Majority, ev.Processors.Computed+max(0, ev.Processors.Waited), r.Lost) {
		r.explain("the waiting threads use a processor, as spinning threads do; " +
			"the trace does not show how much of that is work, so nothing is predicted")
		r.removalChange = notRemovable(
			"threads run while they wait for their turn, and the trace does not show how much of that is work")
	}
}
