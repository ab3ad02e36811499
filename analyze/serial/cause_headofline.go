package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

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
	r := Finding{Cause: HeadOfLine, Confidence: policy.Shown, Holds: true, Lost: f.inLine, behind: true,
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
		if n := by[u.Queue]; share(n, r.Lost) > policy.WorthNaming.Value {
			long, typical := a.gpuTimes(u.Queue)
			r.say("queue %s, of %s, runs %s at a time: %s lost; the longest of its command buffers took %s, half of them less than %s",
				queueName(u.Queue), plural(len(u.Threads), "thread"), plural(a.lines[u.Queue].most, "command buffer"), n, long, typical)
		}
	}
	r.say("that is %s of the threads' time, with the GPU busy for %s", percent(f.share(r.Lost)), percent(f.busy))
	return r
}

// gpuTimes is how long the longest and the median of a queue's command buffers took on the GPU.
func (a *Analysis) gpuTimes(q *analyze.Queue) (most, usual analyze.Nanos) {
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
	r := Finding{Cause: HeadOfLine, Confidence: policy.Shown,
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
