package cause

import (
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// pollingRule holds if threads notice completions late because they poll for them at intervals.
func pollingRule(ev *evidence.Evidence) Finding {
	r := Finding{Cause: Polling, Confidence: policy.Shown,
		Advice: "let threads wait in a call (waitUntilCompleted, waitUntilSignaledValue:timeoutMS:) " +
			"or for a completion handler; reading status or signaledValue at intervals notices the completion late"}
	p := &ev.Polling
	switch {
	case p.Waits == 0:
		return r.not("no thread polled the status of a command buffer or the value of an event until it changed")
	case p.Waits < policy.Pattern.Count():
		return r.not("%d waits by polling are too few to tell", p.Waits)
	case p.Lost == 0:
		return r.not("%d waits by polling noticed the completion as soon as a woken thread does (median %s after it)",
			p.Waits, p.Late)
	}
	r.Holds, r.Lost = true, p.Lost
	r.say("threads waited %d times for a command buffer by polling, with %d polls in all; "+
		"the last two polls of a wait were %s apart (median)", p.Waits, p.Asked, p.Gap)
	r.say("they noticed a completion %s late (median), and lost %s, %s of their time", p.Late, p.Lost,
		percent(ev.Submitters.Share(p.Lost)))
	r.sum("Threads poll for completions and notice them late, by %s in the median: they lose %s of their time to that.",
		p.Late, percent(ev.Submitters.Share(p.Lost)))
	return r
}
