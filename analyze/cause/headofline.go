package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// headOfLine holds if the first command buffer in a queue keeps ready ones behind it from running. Either it was
// enqueued but not committed, or it runs for another thread in a queue that runs fewer command buffers at once than
// the GPU could.
func headOfLine(ev *evidence.Evidence) Finding {
	enqueued := enqueuedEarly(ev)
	if ev.Occupancy.InLines > enqueued.Lost {
		return behindInLine(ev)
	}
	return enqueued
}

func behindInLine(ev *evidence.Evidence) Finding {
	r := Finding{Cause: HeadOfLine, Confidence: policy.ConfidenceShown, Present: true, Lost: ev.Occupancy.InLines,
		Advice: "give the threads queues of their own, at least those whose command buffers take long"}
	waits := 0
	by := map[*analyze.Queue]analyze.Nanos{}
	for w := range analyze.Each(ev.Trace.Waits) {
		if n := ev.Lines.InLine(w); n > 0 {
			waits++
			by[ev.Trace.WaitsFor(w).Queue] += n
		}
	}
	r.explain("%d waits were for runnable command buffers queued behind other threads' command buffers, "+
		"while the GPU had spare capacity", waits)
	for _, u := range ev.Queues.All {
		if n := by[u.Queue]; evidence.Share(n, r.Lost) > policy.WorthNaming.Value {
			long, typical := evidence.GPUTimes(ev.Trace, u.Queue)
			r.explain("queue %s, used by %s, runs %s at a time and costs %s; "+
				"its longest command buffer took %s, half of its command buffers less than %s",
				queueName(u.Queue), analyze.Plural(len(u.Threads), "thread"),
				analyze.Plural(ev.Lines.ByQueue[u.Queue].Most,
					"command buffer"), n, long, typical)
		}
	}
	r.explain("these waits cost %s of the threads' time; the GPU was busy for %s of the time",
		percent(ev.Submitters.Share(r.Lost)), percent(ev.Occupancy.Busy))
	r.removalChange = removedBy(replay.Change{Lines: true})
	r.summarize("Command buffers are queued behind other threads' command buffers although the GPU has spare capacity: "+
		"threads lose %s of their time to that.", percent(ev.Submitters.Share(r.Lost)))
	return r
}

// enqueuedEarly holds if committed command buffers cannot run because an earlier one in their queue was enqueued but
// is not committed yet.
func enqueuedEarly(ev *evidence.Evidence) Finding {
	r := Finding{Cause: HeadOfLine, Confidence: policy.ConfidenceShown,
		Advice: "enqueue a command buffer only when it is about to be committed, or leave enqueue out: commit does it"}
	enqueued, blocks := 0, 0
	for b := range ev.Trace.Buffers() {
		if b.Enqueued.Known() {
			enqueued++
		}
		if x := ev.Releases.ReleaseOf(b.Index); x != nil && x.Head.Length() > 0 {
			blocks++
		}
	}
	switch {
	case enqueued == 0:
		return r.reject("no command buffer was enqueued before its commit")
	case blocks == 0:
		return r.reject("%d command buffers were enqueued early; none kept a committed one waiting", enqueued)
	}
	r.Lost = evidence.WaitedDuring(ev.Work, ev.Releases, ev.Occupancy.Saturated,
		func(x *evidence.Release) analyze.Interval { return x.Head })
	r.Present = true
	r.explain("%d committed command buffers had to wait for one that was enqueued before them and committed later", blocks)
	r.explain("these delays made threads wait %s, %s of their time", r.Lost, percent(ev.Submitters.Share(r.Lost)))
	r.summarize("Command buffers that were enqueued early and committed late block those behind them in the queue: "+
		"threads lose %s of their time to that.", percent(ev.Submitters.Share(r.Lost)))
	return r
}
