package cause

import (
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// starvation: the GPU is idle because submitting threads wait for another thread's signal: for data, for room for
// their results, for anything that thread produces. Barriers are imbalance, and a thread that submits for others is
// the single submitter.
func starvation(ev *evidence.Evidence) Finding {
	r := Finding{Cause: Starvation, Confidence: policy.Shown,
		Advice: "produce what the submitting threads wait for sooner: more producer threads, an earlier start, or a " +
			"deeper queue"}
	switch {
	case len(ev.ThreadWaits.Merged) == 0:
		return r.not("no wait for another thread's signal is in the trace; waits for futexes, pipes and sockets are not " +
			"recorded")
	case ev.Handover.Holds():
		return r.not("threads wait for the thread that submits for them, and that thread waits for their requests")
	case ev.Occupancy.Saturated:
		return r.not("the GPU had no idle time")
	}
	r.Lost = ev.Starvation.Lost
	if ev.Submitters.Share(r.Lost) < policy.Negligible.Value {
		return r.not("submitting threads waited %s for other threads' signals while the GPU was idle", r.Lost)
	}
	r.Holds = true
	r.say("submitting threads waited %s, %s of the threads' time, for other threads' signals while the GPU was idle",
		r.Lost, percent(ev.Submitters.Share(r.Lost)))
	feeders := ev.Starvation.Feeders
	for _, x := range feeders[:min(policy.MostNamed, len(feeders))] {
		r.say("%s of that for the signal of %s (%s)%s", percent(evidence.Share(x.Idle, r.Lost)), x.Who(), x.What, x.Doing())
	}
	if site := evidence.StarvedAt(&ev.Submitters, ev.ThreadWaits.Merged); site != "" {
		r.say("they wait in %s", site)
	}
	r.say("the GPU was busy for %s of the time", percent(ev.Occupancy.Busy))
	r.sum("The GPU is idle because the submitting threads wait for the signal of %s: for %s of the threads' time%s.",
		feeders[0].Who(), percent(ev.Submitters.Share(r.Lost)),
		busyWords(ev, "; the GPU was busy for %s"))
	return r
}
