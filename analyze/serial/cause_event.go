package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// eventChain: a command buffer waits on the GPU for an event that another, or a thread, signals, though it and the GPU are ready.
func eventChain(a *Analysis, f *facts) Finding {
	r := Finding{Cause: EventChain, Confidence: policy.Shown,
		Advice: "signal earlier, wait later, or put dependent work into one command buffer; check that each wait for an event is needed"}
	waits, chained, byThreads, unknown := 0, 0, 0, 0
	var delay analyze.Nanos
	blocked := map[*analyze.CommandBuffer]analyze.Nanos{}
	for b, x := range a.released {
		waits += x.waits
		if x.event.Length() == 0 {
			continue
		}
		chained++
		delay += x.event.Length()
		blocked[b] = x.event.Begin
		switch {
		case x.byThread != nil:
			byThreads++
		case x.signaler == nil:
			unknown++
		}
	}
	switch {
	case waits == 0:
		return r.not("no command buffer waits for an event")
	case chained == 0:
		return r.not("%d waits for events on the GPU; none delayed committed work", waits)
	case f.saturated:
		return r.not("%d command buffers waited for events, but the GPU was saturated", chained)
	}
	r.Lost = a.waitedDuring(f, blocked)
	r.Holds = true
	r.say("%d of %d waits for events kept committed command buffers from beginning, by %s on average", chained, waits, delay/analyze.Nanos(chained))
	if byThreads > 0 {
		r.say("%d of them were for a value that a thread gave the event (setSignaledValue:)", byThreads)
	}
	if unknown > 0 {
		r.Confidence = policy.Guessed
		r.say("what signaled %d of them is not in the trace", unknown)
	}
	r.byThreads = policy.MoreThan(policy.Most, byThreads, chained)
	r.say("threads waited for %s because of it, %s of their time", r.Lost, percent(f.share(r.Lost)))
	r.say("the GPU was busy for %s of the time, with %.2f command buffers at once while busy", percent(f.busy), a.GPU.Overlap)
	return r
}
