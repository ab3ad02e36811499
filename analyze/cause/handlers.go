package cause

import (
	"math"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// completionHandlers holds if waits end late because completion handlers of the program run before the waiting
// threads wake.
func completionHandlers(ev *evidence.Evidence) Finding {
	r := Finding{Cause: CompletionHandlers, Confidence: policy.ConfidenceShown,
		Advice: "do less in completion handlers, or move the work to another thread: " +
			"waiting threads wake only when all handlers have returned"}
	var with []analyze.Nanos
	for b := range ev.Trace.Buffers() {
		if b.GPU.Known() && b.Completed.Known() && b.Handlers > 0 {
			with = append(with, max(0, b.Completed.Begin-b.GPU.End))
		}
	}
	if len(with) == 0 {
		return r.reject("no completion handler of the program is in the trace")
	}
	usual, _ := evidence.UsualCompletion(ev.Trace)
	late := evidence.Median(with)
	slow := max(2*usual, policy.LongestWakeup.Nanos())
	some := late < slow // at most
	if some {
		slow = max(slow, evidence.Scaled(ev.Processors.LateWake, policy.OutlierRatio.Value))
	}
	few := 0
	for _, took := range with {
		if took >= slow {
			few++
		}
	}
	if some && (few < policy.FewestOccurrences.Count() || ev.Processors.Wakes < policy.FewestSamples.Count()) {
		return r.reject("command buffers with handlers were seen to complete %s after the GPU's end, which is usual", late)
	}
	own := evidence.HandlersOneByOne(ev.Trace)
	quick := slowOf(own) < policy.FewestOccurrences.Count()
	if p := &ev.Processors; !some {
		// a lack of processors can delay even a quick handler, so a few slow handlers prove nothing. Handlers count as
		// quick if their median is, and either few of them were slow or threads waited for processors longer than they ran
		quick = evidence.Median(own) <= policy.LongestWakeup.Nanos() && (!policy.AtLeast(policy.ExceptionShare, slowOf(own),
			len(own)) ||
			p.Waited > p.Ran)
	}
	if quick && len(own) >= policy.FewestSamples.Count() {
		return r.reject("command buffers with handlers were seen to complete %s after the GPU's end, "+
			"but of %d handlers that ran back to back, %d took more than %s (median %s): "+
			"the notification is late, the handlers are not slow",
			late, len(own), slowOf(own), policy.LongestWakeup.Nanos(),
			evidence.Median(own))
	}
	if !some {
		slow = math.MinInt64 // every wait counts
	}
	cost := costOfHandlers(ev, usual, slow)
	r.Lost = cost.sum()
	r.Present = r.Lost > 0
	if !r.Present {
		return r.reject("handlers took long, but no thread waited for them")
	}
	if some && ev.Submitters.Share(r.Lost) < policy.ChanceShare.Value {
		return r.reject("command buffers with handlers were seen to complete %s after the GPU's end, which is usual; "+
			"the %d that took more than %s cost threads only %s", late, few, slow, r.Lost)
	}
	if some {
		r.Confidence = policy.ConfidenceInferred
		r.explain("of %d command buffers with completion handlers %d were seen to complete more "+
			"than %s after the GPU's end (the median is %s)", len(with), few, slow, late)
	} else {
		r.explain("where the program added completion handlers, completion was seen %s after the GPU's end (median of %d)",
			late,
			len(with))
	}
	return r.wordHandlers(ev, cost)
}

// A handlerCost is the time that threads lost to completion handlers.
type handlerCost struct {
	waited    analyze.Nanos // time in waits for command buffers and signals
	promised  analyze.Nanos // the part of `waited` in waits for signals that handlers send
	fullQueue analyze.Nanos // in creating command buffers while handlers still ran and so the queue was full
	chained   analyze.Nanos // time until a handler created the next command buffer
	buffers   int           // number of command buffers that the handler of the previous one created
}

func (c *handlerCost) sum() analyze.Nanos { return c.waited + c.fullQueue + c.chained }

// costOfHandlers adds up the time that threads lost to completion handlers. A wait counts only if its completion was
// seen at least `least` after the GPU's end. The delay without handlers, `usual`, is subtracted.
func costOfHandlers(ev *evidence.Evidence, usual, least analyze.Nanos) (c handlerCost) {
	handling := evidence.Handling(ev.Trace)
	for w := range analyze.Each(ev.Trace.Waits) {
		b := ev.Trace.WaitsFor(w)
		if b == nil || !b.GPU.Known() || !b.Completed.Known() || b.Completed.Begin-b.GPU.End < least {
			continue
		}
		late := w.Interval.Intersect(analyze.Interval{Begin: b.GPU.End + usual, End: b.Completed.Begin})
		if b.Handlers > 0 {
			c.waited += late.Length()
		} else {
			c.waited += handling[b.Queue].LengthWithin(late) // a completion is delivered after those before it in the queue
		}
	}
	c.chained, c.buffers = evidence.Chained(ev.Trace, ev.ThreadWaits.Merged)
	// A thread may wait for a signal from a handler that also creates the next command buffer. That time is already in
	// c.chained, so it is subtracted here.
	c.promised = max(0, evidence.HandlersBeforeSignals(ev.Trace, ev.ThreadWaits.Merged)-c.chained)
	c.waited += c.promised
	full := analyze.Nanos(0)
	for _, f := range ev.Queues.Full {
		full += handling[f.Buffer.Queue].LengthWithin(f.Interval)
	}
	if full > lostTo(queueDepth, ev) { // otherwise the queue's depth is the cause
		c.fullQueue = full
	}
	return c
}

// wordHandlers adds the sentences about what the handlers cost: the evidence and the summary.
func (r Finding) wordHandlers(ev *evidence.Evidence, cost handlerCost) Finding {
	if cost.chained > 0 {
		r.explain("%d command buffers were created in the completion handler of the previous one, "+
			"after these handlers had run for %s in all", cost.buffers, cost.chained)
	}
	if cost.waited > 0 {
		r.explain("threads waited %s, %s of their time, until completion handlers had returned", cost.waited,
			percent(ev.Submitters.Share(cost.waited)))
	}
	if cost.promised > 0 {
		r.explain("for %s of that time they waited for signals from completion handlers", cost.promised)
	}
	if cost.fullQueue > 0 {
		r.explain(
			"threads waited %s, %s of their time, because a queue was full of command buffers whose handlers still ran: "+
				"a queue completes one command buffer at a time", cost.fullQueue, percent(ev.Submitters.Share(cost.fullQueue)))
	}
	if cost.chained > cost.waited {
		r.summarize("The program's completion handlers are slow, and submit the next work only at their end: "+
			"the GPU waits for that for %s of the threads' time.", percent(ev.Submitters.Share(r.Lost)))
		return r
	}
	r.summarize("The program's completion handlers are slow and delay the threads that wait: "+
		"they lose %s of their time to that.", percent(ev.Submitters.Share(r.Lost)))
	return r
}

// slowOf returns how many of the handlers took longer than a quick handler does (policy.LongestWakeup).
func slowOf(took []analyze.Nanos) (n int) {
	for _, t := range took {
		if t > policy.LongestWakeup.Nanos() {
			n++
		}
	}
	return n
}
