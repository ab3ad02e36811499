package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// gpuSaturated: the GPU is busy all the time while more work is ready for it, so what waits, waits for the GPU. It costs the
// time that threads were queued for it; it explains the time they waited for it in any way.
func gpuSaturated(a *Analysis, f *facts) Finding {
	r := Finding{Cause: GPUSaturated, Confidence: policy.Recorded,
		Advice: "give the GPU less to do: faster or fewer kernels, smaller types, or a faster device; more threads cannot help"}
	interrupted := share(f.interrupted.busiest, f.busiest.Active.Length())
	switch {
	case f.buffers == 0:
		return r.not("there are no GPU times")
	case f.busy < policy.Saturated.Value && interrupted > 0 && f.backlog-interrupted < policy.Most.Value:
		return r.not("the GPU was busy for %s of the time from the first commit to the last completion, and for %s of it another program had interrupted it",
			percent(f.busy), percent(interrupted))
	case f.busy < policy.Saturated.Value && f.backlog < policy.Most.Value:
		return r.not("the GPU was busy for %s of the time from the first commit to the last completion, and for %s while more work was ready for it",
			percent(f.busy), percent(f.backlog))
	case f.hasRoom && f.backlog >= policy.Most.Value && !f.saturated:
		return r.not("the GPU was busy for %s of the time, and for %s while something was ready that had not begun; but the more was ready the more ran at once: it had room",
			percent(f.busy), percent(f.backlog))
	case !f.saturated && f.steady == 1: // what is ready waits for the thread's own work, as in a batch
		return r.not("the GPU was busy for %s of the time from the first commit to the last completion, all with the work of one thread", percent(f.busy))
	case f.busy >= policy.Saturated.Value && !f.saturated:
		return r.not("the GPU was busy for %s of the time, but only in %s of it was something ready that had not begun", percent(f.busy), percent(f.backlog))
	}
	if f.saturated {
		with, alone := a.withTheGPU(f)
		waited := a.Sum(analyze.PartWaitQueuedOwn) + a.Sum(analyze.PartWaitQueuedOther) + a.waitedWhileBusy() - f.inLine
		r.Lost = max(waited, with-alone)
		r.explains = max(waited+a.Sum(analyze.PartWaitExecuting), with)
	} else { // most of the time: it explains what threads wait behind others, and no more
		r.Confidence = policy.Inferred
		r.Lost = max(0, max(a.Sum(analyze.PartWaitQueuedOther), a.queuedAsleep(f))-f.inLine-a.syncs(f).barrierLost-f.interrupted.behind)
		r.explains = r.Lost
	}
	r.Holds = true
	r.say("the GPU was busy for %s of the time from the first commit to the last completion", percent(f.busy))
	if f.committers > 1 {
		r.say("for %s of that time, more work was ready for it and had to wait", percent(f.backlog))
	}
	if f.withoutSync != nil {
		r.Confidence = min(r.Confidence, policy.Inferred)
		r.say("threads wait for everybody's work, too; if they waited for their own only, the run would be %.2f times as fast (%.2f to %.2f), by replay: they would wait for the GPU instead",
			f.withoutSync.Estimate, f.withoutSync.Low, f.withoutSync.High)
	}
	if q := a.onlyQueue(); q != nil && f.committers > 1 && a.GPU.Overlap < 1+policy.Little.Value {
		r.Confidence = min(r.Confidence, policy.Inferred)
		r.Advice = "give each thread a queue of its own, to see whether the GPU can run more at once; if not, give it less to do: faster or fewer kernels, smaller types"
		r.say("all work went through queue %s, which ran one command buffer at a time: whether the GPU could run more at once is not seen", queueName(q))
	}
	executing := a.Sum(analyze.PartWaitExecuting)
	seen := a.Sum(analyze.PartWaitQueuedOwn) + a.Sum(analyze.PartWaitQueuedOther) + executing
	if f.saturated {
		seen += a.waitedWhileBusy()
	}
	r.say("threads spent %s of their time waiting for it: %s queued, %s while their work ran", percent(f.share(seen)), seen-executing, executing)
	if r.unseen = max(0, r.explains-seen); policy.MoreThan(policy.Most, r.unseen, seen) {
		r.say("for %s they had work in flight and did not wait in a call that the trace shows: they may poll, or wait for a completion handler", percent(f.share(r.unseen)))
	}
	return r
}

// onlyQueue is the queue that did all the work; nil when several did.
func (a *Analysis) onlyQueue() (only *analyze.Queue) {
	for _, u := range a.Queues {
		if u.CommandBuffers == 0 {
			continue
		}
		if only != nil {
			return nil
		}
		only = u.Queue
	}
	return only
}

// waitedWhileBusy is the thread time in waits for others' work, and for a free command buffer, during which a GPU was busy.
func (a *Analysis) waitedWhileBusy() (sum analyze.Nanos) {
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if from := Awaited(w); from != nil && from != w.Thread {
			sum += a.deviceOf(w.Buffer).all.Within(w.Interval)
		}
	}
	for _, c := range a.fullQueue {
		sum += a.deviceOf(c.buffer).all.Within(c.Interval)
	}
	return sum
}

// notSaturated is the part of a wait that the GPU does not explain: all of it, unless the GPU is saturated.
func (a *Analysis) notSaturated(f *facts, i analyze.Interval, b *analyze.CommandBuffer) analyze.Nanos {
	d := a.devices[f.busiest.Device]
	if b != nil {
		d = a.deviceOf(b)
	}
	if !f.saturated || d.model != f.busiest.Device {
		return i.Length()
	}
	return i.Length() - d.all.Within(i)
}
