package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// gpuSaturated holds if the GPU is busy all the time while more work is ready for it, so that threads wait for the
// GPU. Its cost is the time that work was queued; it explains all time that threads waited for the GPU.
func gpuSaturated(ev *evidence.Evidence) Finding {
	r := Finding{Cause: GPUSaturated, Confidence: policy.ConfidenceRecorded, Standing: Limit,
		Advice: "give the GPU less to do: faster or fewer kernels, smaller types, or a faster device; " +
			"more threads cannot help"}
	if f, ruledOut := r.notSaturated(ev); ruledOut {
		return f
	}
	r.costOfSaturation(ev)
	r.Present = true
	r.explain("the GPU was busy for %s of the time from the first commit to the last completion",
		percent(ev.Occupancy.Busy))
	switch {
	case ev.Occupancy.Crowded:
		c := &ev.Occupancy.Busiest.Crowding
		r.explain("it ran %.1f command buffers at once while busy, "+
			"and each takes %s longer for every other one that runs at the same time: "+
			"if it ran alone, each would have taken %s of its time",
			ev.GPU.Overlap, percent(c.Slope), percent(1-c.ConcurrencyLoss))
	case ev.Submitters.Committers > 1:
		r.explain("for %s of that time, more work was pending", percent(ev.Occupancy.Pending))
	}
	if q := ev.Queues.Only(); q != nil && ev.Submitters.Committers > 1 && ev.GPU.Overlap < 1+policy.ChanceShare.Value {
		r.Confidence = min(r.Confidence, policy.ConfidenceInferred)
		r.Advice = "give each thread a queue of its own, to see whether the GPU can run more at once; " +
			"if not, give it less to do: faster or fewer kernels, smaller types"
		r.explain("all work went through queue %s, which ran one command buffer at a time: "+
			"whether the GPU could run more at once is unknown", queueName(q))
	}
	r.tellWaitingKernels(ev)
	executing := ev.Times.Sum(analyze.PartWaitExecuting)
	seen := ev.Times.Sum(analyze.PartWaitQueuedOwn) + ev.Times.Sum(analyze.PartWaitQueuedOther) + executing
	if ev.Occupancy.Saturated {
		seen += evidence.WaitedWhileBusy(ev.Work, ev.Queues.Full)
	}
	r.explain("threads spent %s of their time waiting for the GPU: %s while their work was queued, %s while it ran",
		percent(ev.Submitters.Share(seen)),
		seen-executing, executing)
	unseen, waiting := max(0, r.Explains-seen), "waiting for it"
	if policy.MoreThan(policy.Majority, unseen, seen) {
		r.explain("for %s of their time they had work in flight but were in no wait that the trace shows: "+
			"they may poll, or wait for a completion handler", percent(ev.Submitters.Share(unseen)))
	}
	if policy.MoreThan(policy.Majority, unseen, r.Explains) {
		r.removalChange = func(p replayed) (replay.Change, string) {
			if p.Paced() {
				return replay.Change{GPU: true}, ""
			}
			return replay.Change{}, "threads have work in flight, " +
				"and the trace shows neither a call in which they wait for it nor when they resume"
		}
	}
	if policy.MoreThan(policy.LargeShare, unseen, r.Explains) {
		waiting = "with work in flight"
	}
	r.summarize("The GPU is the limit: it was busy for %s of the time, and threads spent %s of their time %s.",
		percent(ev.Occupancy.Busy),
		percent(min(1, ev.Submitters.Share(max(r.Explains, r.Lost+executing)))), waiting)
	return r
}

// notSaturated rules the cause out, and returns the finding with the reason, if the GPU was not busy all the time or
// had spare capacity.
func (r Finding) notSaturated(ev *evidence.Evidence) (f Finding, ruledOut bool) {
	interrupted := evidence.Share(externalInterruptions(ev).Busiest, ev.Occupancy.Busiest.Active.Length())
	switch {
	case ev.Occupancy.Buffers == 0:
		return r.reject("there are no GPU times"), true
	case !policy.Saturated(ev.Occupancy.Busy) && interrupted > 0 &&
		ev.Occupancy.Pending-interrupted < policy.Majority.Value:
		return r.reject("the GPU was busy for %s of the time from the first commit to the last completion, "+
			"and for %s of the same time another program interrupted it",
			percent(ev.Occupancy.Busy), percent(interrupted)), true
	case !policy.Saturated(ev.Occupancy.Busy) && ev.Occupancy.Pending < policy.Majority.Value:
		return r.reject("the GPU was busy for %s of the time from the first commit to the last completion, "+
			"and for %s while more work was pending",
			percent(ev.Occupancy.Busy), percent(ev.Occupancy.Pending)), true
	case ev.Occupancy.HasSpareCapacity && ev.Occupancy.Pending >= policy.Majority.Value && !ev.Occupancy.Saturated:
		return r.reject("the GPU was busy for %s of the time, and for %s while work was pending; "+
			"but it ran more at once when more was pending: it had spare capacity",
			percent(ev.Occupancy.Busy), percent(ev.Occupancy.Pending)), true
	case policy.Saturated(ev.Occupancy.Busy) && !ev.Occupancy.Saturated:
		return r.reject("the GPU was busy for %s of the time, but work was pending for only %s of it",
			percent(ev.Occupancy.Busy), percent(ev.Occupancy.Pending)), true
	}
	return r, false
}

// costOfSaturation sets Lost to the time that the saturated GPU costs. It sets Explains to all time for which threads
// wait for the GPU or have work in flight.
func (r *Finding) costOfSaturation(ev *evidence.Evidence) {
	if ev.Occupancy.Saturated {
		with, without := evidence.WithTheGPU(ev.Work, &ev.Submitters, ev.Blocked)
		waited := ev.Times.Sum(analyze.PartWaitQueuedOwn) + ev.Times.Sum(analyze.PartWaitQueuedOther) +
			evidence.WaitedWhileBusy(ev.Work, ev.Queues.Full) - ev.Occupancy.InLines
		if ev.Occupancy.Crowded {
			beside := ev.Occupancy.Busiest.Crowding.ConcurrencyLoss
			waited += evidence.Scaled(ev.Times.Sum(analyze.PartWaitExecuting), beside)
			without -= evidence.Scaled(without, beside)
		}
		r.Lost = max(waited, with-without)
		r.Explains = max(waited+ev.Times.Sum(analyze.PartWaitExecuting), with)
	} else { // the GPU was not always busy, so only waiting behind other work counts
		r.Confidence = policy.ConfidenceInferred
		queued := max(ev.Times.Sum(analyze.PartWaitQueuedOther), evidence.QueuedAsleep(ev.Work, &ev.Submitters))
		others := ev.Occupancy.InLines + ev.Syncs.Use(&ev.Occupancy).BarrierLost + externalInterruptions(ev).Behind
		r.Lost = max(0, queued-others)
		r.Explains = r.Lost
	}
}
