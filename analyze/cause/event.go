package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// eventChain holds if committed command buffers wait on the GPU, which could run them, for an event that another
// command buffer or a thread signals.
func eventChain(ev *evidence.Evidence) Finding {
	r := Finding{Cause: EventChain, Confidence: policy.ConfidenceShown,
		Advice: "signal earlier, wait later, or put dependent work into one command buffer; " +
			"check that each wait for an event is needed"}
	waits, chained, byThreads, unknown := 0, 0, 0, 0
	var delay analyze.Nanos
	for _, x := range ev.Releases.All() {
		waits += int(x.Waits)
		if x.Event.Length() == 0 {
			continue
		}
		chained++
		delay += x.Event.Length()
		switch {
		case x.ByThread != nil:
			byThreads++
		case x.Signaler == analyze.NoCommandBuffer:
			unknown++
		}
	}
	switch {
	case waits == 0:
		return r.reject("no command buffer waits for an event")
	case chained == 0:
		return r.reject("%d waits for events on the GPU; none delayed committed work", waits)
	case ev.Occupancy.Saturated:
		return r.reject("%d command buffers waited for events, but the GPU was saturated", chained)
	}
	r.Lost = evidence.WaitedDuring(ev.Work, ev.Releases, ev.Occupancy.Saturated,
		func(x *evidence.Release) analyze.Interval { return x.Event })
	r.Present = true
	r.explain("%d of %d waits for events delayed committed command buffers, by %s on average", chained, waits,
		delay/analyze.Nanos(chained))
	if byThreads > 0 {
		r.explain("%d of these waits were for a value that a CPU thread signals (setSignaledValue:)", byThreads)
	}
	if unknown > 0 {
		r.Confidence = policy.ConfidenceGuessed
		r.explain("for %d of these waits, the trace does not have the signal", unknown)
	}
	r.explain("these delays made threads wait %s, %s of their time", r.Lost, percent(ev.Submitters.Share(r.Lost)))
	r.explain("the GPU was busy for %s of the time, with %.2f command buffers at once while busy",
		percent(ev.Occupancy.Busy),
		ev.GPU.Overlap)
	if policy.MoreThan(policy.Majority, byThreads, chained) {
		r.summarize("Committed command buffers wait on the GPU for events that CPU threads signal late: "+
			"threads lose %s of their time to that.", percent(ev.Submitters.Share(r.Lost)))
	} else {
		r.summarize("Command buffers wait on the GPU for each other's events: threads lose %s of their time to that.",
			percent(ev.Submitters.Share(r.Lost)))
	}
	return r
}
