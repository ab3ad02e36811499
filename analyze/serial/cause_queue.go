package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// queueDepth: making a command buffer blocks because the queue has as many uncompleted ones as it may have.
func queueDepth(a *Analysis, f *facts) Finding {
	r := Finding{Cause: QueueDepth, Confidence: policy.Recorded,
		Advice: "make command buffers only when there is work for them, commit them soon, or ask for a queue with a larger maximum (newCommandQueueWithMaxCommandBufferCount:)"}
	handling := a.handling()
	byHandlers := analyze.Nanos(0)
	for _, c := range a.fullQueue {
		handlers := handling[c.buffer.Queue].Within(c.Interval)
		byHandlers += handlers
		r.Lost += min(a.notSaturated(f, c.Interval, c.buffer), c.Length()-handlers)
	}
	switch {
	case len(a.fullQueue) == 0:
		return r.not("no command buffer was made on a full queue")
	case r.Lost == 0:
		return r.not("queues were full, but the GPU was saturated, or completion handlers ran, all the while")
	case byHandlers > r.Lost: // a deeper queue would fill as well: its command buffers come back as fast as handlers return
		return r.not("queues were full, but for %s of that time they waited for completion handlers to give command buffers back", percent(share(byHandlers, byHandlers+r.Lost)))
	}
	r.Holds = true
	r.say("%d times a thread made a command buffer on a full queue and had to wait, for %s in all", len(a.fullQueue), r.Lost)
	for _, u := range a.Queues {
		if share(u.AtCapacity, r.Lost) > policy.WorthNaming.Value {
			r.say("queue %s: at most %d command buffers, %s lost", queueName(u.Queue), u.capacity(), u.AtCapacity)
		}
	}
	r.say("that is %s of the threads' time%s", percent(f.share(r.Lost)), f.busyWords(", with the GPU busy for %s"))
	return r
}
