package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// deviceWideSync holds if submitting threads wait for all threads' work. Its cost is the time for which they kept
// waiting after their own work had completed. It recognizes waits for command buffers of other threads, and waits for
// an empty command buffer that was committed behind other threads' work for that purpose.
func deviceWideSync(ev *evidence.Evidence) Finding {
	r := Finding{Cause: DeviceWideSync, Confidence: policy.ConfidenceRecorded,
		Advice: "wait only for the thread's own work (its last command buffer, " +
			"or a shared event that it signals) instead of for the whole device"}
	switch ev.Submitters.Committers {
	case 0:
		return r.reject("no thread committed work")
	case 1:
		return r.reject("only one thread committed work")
	}
	s := ev.Syncs.Use(&ev.Occupancy)
	switch {
	case s.CrossThread+s.Barriers+s.Needed == 0:
		return r.reject("no submitting thread waited for another thread's command buffers")
	case s.CrossThread+s.Barriers == 0:
		return r.reject("threads waited (%s of their time) only for threads that never wait for them: "+
			"they may need those threads' results", percent(ev.Submitters.Share(s.NeededTime)))
	}
	locks, loops := ev.Syncs.Hanging(&ev.Submitters, ev.ThreadWaits.Locks, &ev.Occupancy)
	r.Lost = s.Lost + locks + loops
	r.Present = r.Lost > 0
	if !r.Present {
		return r.reject("waits for other threads' command buffers cost nothing: " +
			"they ended no later than the threads' own command buffers, or while the GPU was saturated")
	}
	if s.CrossThread > 0 {
		others := analyze.Plural(s.Partners(), "other")
		r.explain("%d of %d waits (%s of the threads' time) were for another thread's command buffers; "+
			"each of %d threads waited for up to %s",
			s.CrossThread, s.Waits, percent(ev.Submitters.Share(s.CrossThreadTime)), len(s.Waiters), others)
	}
	if s.Barriers > 0 {
		r.explain("%d waits were for empty command buffers queued behind other threads' work", s.Barriers)
	}
	r.explain("after their own command buffers had completed, threads kept waiting for %s in all, %s of their time",
		s.Lost,
		percent(ev.Submitters.Share(s.Lost)))
	if ev.Submitters.Share(locks+loops) >= policy.NegligibleShare.Value {
		r.explain("between one such wait and the next, threads lost %s more, %s of their time: "+
			"%s of it to contention for locks and the GIL, which every wait releases and reacquires",
			locks+loops, percent(ev.Submitters.Share(locks+loops)), locks)
	}
	if ev.Occupancy.Buffers > 0 {
		r.explain("the GPU was busy for %s of the time from the first commit to the last completion",
			percent(ev.Occupancy.Busy))
	} else {
		r.Confidence = policy.ConfidenceGuessed
		r.explain("there are no GPU times: whether the GPU had spare capacity is unknown")
	}
	r.summarize("Threads wait for all threads' command buffers, not only for their own: that costs %s of their time%s.",
		percent(ev.Submitters.Share(r.Lost)),
		busyWords(ev, ", while the GPU is busy for %s of it"))
	return r
}
