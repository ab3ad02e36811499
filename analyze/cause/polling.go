package cause

import (
	"fmt"

	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// pollingRule holds in two cases: threads notice completions late because they poll for them at intervals, or threads
// wait for a server thread that polls for requests at intervals. If both hold, the finding is about both; the case that
// costs more comes first.
func pollingRule(ev *evidence.Evidence) Finding {
	status, s := pollsStatus(ev), ev.Starvation.Server
	if s == nil {
		return status
	}
	served := status.ofServer(ev, s)
	switch {
	case ev.Submitters.Share(status.Lost) < policy.NegligibleShare.Value:
		return served
	case served.Lost > status.Lost:
		return served.and(&status)
	}
	return status.and(&served)
}

// and returns a finding about both cases of polling. Their lost times are added, because a thread does not poll for its
// command buffer while it waits for the server.
func (f Finding) and(other *Finding) Finding {
	f.Lost += other.Lost
	f.Evidence = append(f.Evidence, other.Evidence...)
	f.Confidence = min(f.Confidence, other.Confidence)
	f.Advice += "; also " + other.Advice
	f.removalChange = removedBy(replay.Change{Polls: true, Fed: true})
	f.Summary += " " + other.Summary
	return f
}

// pollsStatus holds if threads notice completions late because they poll for them at intervals.
func pollsStatus(ev *evidence.Evidence) Finding {
	r := Finding{Cause: Polling, Confidence: policy.ConfidenceShown,
		Advice: "let threads wait in a call (waitUntilCompleted, waitUntilSignaledValue:timeoutMS:) " +
			"or for a completion handler; reading status or signaledValue at intervals notices the completion late"}
	p := &ev.Polling
	switch {
	case p.Waits == 0:
		return r.reject("no thread polled the status of a command buffer or the value of an event until it changed")
	case p.Waits < policy.FewestOccurrences.Count():
		return r.reject("%d waits by polling are too few to tell", p.Waits)
	case p.Lost == 0:
		return r.reject("%d waits by polling noticed the completion as soon as a woken thread does (median %s after it)",
			p.Waits, p.Late)
	}
	r.Present, r.Lost = true, p.Lost
	r.explain("threads waited %d times for a command buffer by polling, with %d polls in all; "+
		"the last two polls of a wait were %s apart (median)", p.Waits, p.Asked, p.Gap)
	r.explain("they noticed a completion %s late (median), and lost %s, %s of their time", p.Late, p.Lost,
		percent(ev.Submitters.Share(p.Lost)))
	r.summarize(
		"Threads poll for completions and notice them late, by %s in the median: they lose %s of their time to that.",
		p.Late, percent(ev.Submitters.Share(p.Lost)))
	return r
}

// ofServer returns the finding for submitting threads that wait for a thread which polls for requests at intervals.
func (f Finding) ofServer(ev *evidence.Evidence, s *evidence.Server) Finding {
	r := Finding{Cause: f.Cause, Standing: f.Standing}
	r.Advice = fmt.Sprintf("let %s wait for a request in a call that wakes it (a condition variable, a semaphore, a "+
		"blocking queue), or sleep less; if its sleeps limit a rate or stand for other work, produce earlier what the "+
		"submitting threads wait for", evidence.ThreadName(s.Thread))
	r.Present, r.Lost, r.Confidence = true, s.Lost, policy.ConfidenceInferred
	r.explain(
		"submitting threads waited %d times for the signal of %s while the GPU was idle, for %s in all; it slept for "+
			"%s of that, for %s each time (median)", s.Waits, evidence.ThreadName(s.Thread), s.Idle,
		percent(evidence.Share(s.Lost, s.Idle)), s.Sleep)
	if site := evidence.StarvedAt(&ev.Submitters, ev.ThreadWaits.Merged); site != "" {
		r.explain("they wait in %s", site)
	}
	r.removalChange = removedBy(replay.Change{Fed: true})
	r.summarize("The submitting threads wait for %s, which looks for requests at intervals and sleeps %s between: "+
		"they lose %s of their time to that.", evidence.ThreadName(s.Thread), s.Sleep,
		percent(ev.Submitters.Share(s.Lost)))
	return r
}
