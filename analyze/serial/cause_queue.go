package serial

import "mtrace/analyze"

// queueDepth: making a command buffer blocks because the queue has as many uncompleted ones as it may have.
func queueDepth(a *Analysis, f *facts) Finding {
	r := Finding{Cause: QueueDepth, Confidence: 0.9,
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
		if share(u.AtCapacity, r.Lost) > 0.1 {
			r.say("queue %s: at most %d command buffers, %s lost", queueName(u.Queue), u.capacity(), u.AtCapacity)
		}
	}
	r.say("that is %s of the threads' time%s", percent(f.share(r.Lost)), f.busyWords(", with the GPU busy for %s"))
	return r
}

// headOfLine: what is first in a queue keeps from running what is ready behind it. Two shapes are known: a command buffer that was
// enqueued and not committed; and one that runs, of another thread, in a queue that runs less than the GPU has room for.
func headOfLine(a *Analysis, f *facts) Finding {
	enqueued := enqueuedEarly(a, f)
	if f.inLine > enqueued.Lost {
		return behindInLine(a, f)
	}
	return enqueued
}

func behindInLine(a *Analysis, f *facts) Finding {
	r := Finding{Cause: HeadOfLine, Confidence: 0.85, Holds: true, Lost: f.inLine, behind: true,
		Advice: "give the threads queues of their own, at least those whose command buffers take long"}
	waits := 0
	by := map[*analyze.Queue]analyze.Nanos{}
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if n := a.inLine(w); n > 0 {
			waits++
			by[w.Buffer.Queue] += n
		}
	}
	r.say("%d waits were for command buffers that were ready and stood behind other threads' in their queue, while the GPU ran less than it can", waits)
	for _, u := range a.Queues {
		if n := by[u.Queue]; share(n, r.Lost) > 0.1 {
			long, typical := a.longest(u.Queue)
			r.say("queue %s, of %s, runs %s at a time: %s lost; the longest of its command buffers took %s, half of them less than %s",
				queueName(u.Queue), plural(len(u.Threads), "thread"), plural(a.lines[u.Queue].most, "command buffer"), n, long, typical)
		}
	}
	r.say("that is %s of the threads' time, with the GPU busy for %s", percent(f.share(r.Lost)), percent(f.busy))
	return r
}

// longest is how long the longest and the median of a queue's command buffers took on the GPU.
func (a *Analysis) longest(q *analyze.Queue) (most, usual analyze.Nanos) {
	var all []analyze.Nanos
	for _, b := range a.Trace.CommandBuffers {
		if b.Queue == q && b.GPU.Known() {
			all = append(all, b.GPU.Length())
			most = max(most, b.GPU.Length())
		}
	}
	return most, median(all)
}

// enqueuedEarly: a command buffer that was enqueued and not committed keeps committed ones behind it from running.
func enqueuedEarly(a *Analysis, f *facts) Finding {
	r := Finding{Cause: HeadOfLine, Confidence: 0.85,
		Advice: "enqueue a command buffer only when it is about to be committed, or leave enqueue out: commit does it"}
	enqueued, blocks := 0, 0
	blocked := map[*analyze.CommandBuffer]analyze.Nanos{}
	for _, b := range a.Trace.CommandBuffers {
		if b.Enqueued.Known() {
			enqueued++
		}
		if x := a.released[b]; x != nil && x.head.Length() > 0 {
			blocks++
			blocked[b] = x.head.Begin
		}
	}
	switch {
	case enqueued == 0:
		return r.not("no command buffer was enqueued before its commit")
	case blocks == 0:
		return r.not("%d command buffers were enqueued early; none kept a committed one waiting", enqueued)
	}
	r.Lost = a.waitedDuring(f, blocked)
	r.Holds = true
	r.say("%d committed command buffers had to wait for one that was enqueued before them and committed later", blocks)
	r.say("threads waited for %s because of it, %s of their time", r.Lost, percent(f.share(r.Lost)))
	return r
}

// eventChain: a command buffer waits on the GPU for an event that another, or a thread, signals, though it and the GPU are ready.
func eventChain(a *Analysis, f *facts) Finding {
	r := Finding{Cause: EventChain, Confidence: 0.8,
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
		r.Confidence = 0.6
		r.say("what signaled %d of them is not in the trace", unknown)
	}
	r.byThreads = byThreads*2 > chained
	r.say("threads waited for %s because of it, %s of their time", r.Lost, percent(f.share(r.Lost)))
	r.say("the GPU was busy for %s of the time, with %.2f command buffers at once while busy", percent(f.busy), a.GPU.Overlap)
	return r
}

// waitedDuring is the thread time in the queued part of waits for command buffers that were held up from an instant on, or for
// later ones of the same queue: until they began, since what was let go together then stands in one another's way.
func (a *Analysis) waitedDuring(f *facts, blocked map[*analyze.CommandBuffer]analyze.Nanos) (sum analyze.Nanos) {
	queues := map[*analyze.Queue][]analyze.Interval{}
	for b, from := range blocked {
		if b.GPU.Known() {
			queues[b.Queue] = append(queues[b.Queue], analyze.Interval{Begin: from, End: b.GPU.Begin})
		}
	}
	unions := map[*analyze.Queue]*Busy{}
	for q, list := range queues {
		unions[q] = NewBusy(list)
	}
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if w.Buffer == nil {
			continue
		}
		queued := queuedPart(w)
		during := unions[w.Buffer.Queue].Within(queued)
		if f.saturated {
			during = min(during, queued.Length()-a.deviceOf(w.Buffer).all.Within(queued))
		}
		sum += during
	}
	return sum
}
