package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// queueDepth holds if creating a command buffer blocks because the queue already has its maximum number of
// uncompleted command buffers.
func queueDepth(ev *evidence.Evidence) Finding {
	r := Finding{Cause: QueueDepth, Confidence: policy.ConfidenceRecorded,
		Advice: "create command buffers only when there is work for them, and commit them soon; " +
			"or create the queue with a larger maximum of command buffers (newCommandQueueWithMaxCommandBufferCount:)"}
	handling := evidence.Handling(ev.Trace)
	byHandlers := analyze.Nanos(0)
	for _, c := range ev.Queues.Full {
		handlers := handling[c.Buffer.Queue].LengthWithin(c.Interval)
		byHandlers += handlers
		r.Lost += min(ev.Occupancy.Unexplained(c.Interval, c.Buffer), c.Length()-handlers)
	}
	switch {
	case len(ev.Queues.Full) == 0:
		return r.reject("no command buffer was created on a full queue")
	case r.Lost == 0:
		return r.reject("queues were full, but the GPU was saturated, or completion handlers ran, all that time")
	case byHandlers > r.Lost:
		// a deeper queue would fill up too: its command buffers are released only as fast as completion handlers
		// return
		return r.reject(
			"queues were full, but for %s of that time they waited for completion handlers to release command buffers",
			percent(evidence.Share(byHandlers, byHandlers+r.Lost)))
	}
	r.Present = true
	r.explain("%d times a thread created a command buffer on a full queue and had to wait, for %s in all",
		len(ev.Queues.Full),
		r.Lost)
	for _, u := range ev.Queues.All {
		if evidence.Share(u.AtCapacity, r.Lost) > policy.WorthNaming.Value {
			r.explain("queue %s holds at most %d uncompleted command buffers and costs %s", queueName(u.Queue), u.Capacity(),
				u.AtCapacity)
		}
	}
	r.explain("that is %s of the threads' time%s", percent(ev.Submitters.Share(r.Lost)), busyWords(ev,
		", with the GPU busy for %s"))
	r.summarize("A command queue is full: for %s of their time threads wait for a free command buffer.",
		percent(ev.Submitters.Share(r.Lost)))
	return r
}
