package cause

import (
	"cmp"
	"slices"

	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

const gpuBoundAdvice = "make the named kernels faster, fuse them, or use smaller types; " +
	"if a command buffer does not need the previous one's result, commit it before waiting for that one"

// gpuBound holds if nothing delays the GPU's work and threads wait while their own work runs. It is a limit: it is
// the verdict only if the program has no fault.
func gpuBound(ev *evidence.Evidence) Finding {
	r := Finding{Cause: GPUBound, Confidence: policy.ConfidenceShown, Standing: Limit, Advice: gpuBoundAdvice}
	r.Lost = ev.Execution.Waited
	switch {
	case ev.Occupancy.Buffers < policy.FewestOccurrences.Count():
		return r.reject("%d command buffers with GPU times are too few to tell", ev.Occupancy.Buffers)
	case ev.Occupancy.Saturated:
		return r.reject("more work was pending than the GPU could run: it is saturated")
	case ev.Execution.Display.Paces(ev.Submitters.Taking):
		return r.reject(
			"the display paces the threads: they wait in nextDrawable although the GPU has completed their work, " +
				"so faster kernels would make the waits longer")
	case waitsOnGPU(ev) != nil:
		w := waitsOnGPU(ev)
		return r.reject("kernels of queue %s only wait until work of queue %s has ended, for %s",
			queueName(w.Waiting), queueName(w.Awaited), w.Time)
	case !ev.Execution.Most():
		return r.reject("threads waited for %s of their time while their own work ran: most of their time went elsewhere",
			percent(ev.Submitters.Share(r.Lost)))
	}
	r.Present = true
	r.explain("for %s of their time threads waited while their own work ran on the GPU",
		percent(ev.Submitters.Share(r.Lost)))
	r.explain("the GPU was busy for %s of the time, with %.2f command buffers at once while busy",
		percent(ev.Occupancy.Busy),
		ev.GPU.Overlap)
	if p := ev.Turns.Passed; p != nil {
		r.Advice += "; one task passes from thread to thread: let them work on different items at the same time"
		r.explain("%d threads pass one task to each other by signals (%d waits, %s): "+
			"while one thread's work runs on the GPU, the others wait for it", len(p.Threads), p.Waits, p.Waited)
	}
	if ev.Submitters.Steady == 1 {
		r.Confidence = policy.ConfidenceInferred
		r.Advice += "; if other threads wait for the submitting thread, let each submit its own work"
		r.explain("one thread submits all GPU work: it is unknown whether the GPU could run more at once, " +
			"and whether other threads wait for this thread in calls that are not recorded (std::future, C++20 atomics)")
	}
	if h := ev.Delegation; h != nil && !h.Confirmed() && h.MayAnswer >= policy.FewestOccurrences.Count() {
		r.Confidence = policy.ConfidenceInferred
		r.explain("thread %d makes all commits, and %d waits of other threads end by its signal: "+
			"if they wait for results, and not for new work, that thread may delay them", h.To.ID, h.MayAnswer)
	}
	r.tellWaitingKernels(ev)
	r.tellPossibleWaits(ev)
	r.removalChange = notRemovable("a run without GPU work would be another program; " +
		"the table of what would help shows what faster kernels bring")
	r.summarize("The GPU's own work is the limit: for %s of their time threads wait while their work runs%s.",
		percent(ev.Submitters.Share(r.Lost)),
		busyWords(ev, ", and the GPU is busy for %s"))
	return r
}

// tellKernels adds predicted gains to the evidence. For each of the few kernels with the largest gains, it tells how
// much faster the run is if that kernel takes half of its time. For a program that waits for each round of command
// buffers before it creates the next round, it tells how much faster the run is with several rounds in flight.
func (r *Finding) tellKernels(gains []replay.Gain) {
	named := 0
	gains = slices.Clone(gains)
	slices.SortStableFunc(gains, func(x, y replay.Gain) int { return cmp.Compare(x.Flights(), y.Flights()) })
	for _, g := range gains {
		switch {
		case g.Kind == replay.KindKernel && g.Factor == 0.5 && named < policy.MostNamed:
			r.explain("kernel %s: if it took half of its time, the run would be %s", g.Name, g.InWords())
			named++
		case g.Kind == replay.KindInFlight:
			r.explain("a thread waits for each round of command buffers before it creates the next one: "+
				"with %s rounds in flight the run would be %s, if no round needs the previous one's result",
				g.Name, g.InWords())
		}
	}
}

// waitsOnGPU returns the queue whose kernels wait on the GPU for another queue's work, if that is most of the time
// for which threads wait while their work runs; otherwise nil. Such a queue does not need faster kernels.
func waitsOnGPU(ev *evidence.Evidence) *evidence.KernelWait {
	for i := range ev.Execution.KernelWaits {
		if w := &ev.Execution.KernelWaits[i]; !w.Unproven && policy.AtLeast(policy.Majority, w.Time, ev.Execution.Waited) {
			return w
		}
	}
	return nil
}

// tellWaitingKernels adds evidence and advice if kernels that only wait for another queue's work take a large part of
// the GPU's busy time.
func (r *Finding) tellWaitingKernels(ev *evidence.Evidence) {
	for i := range ev.Execution.KernelWaits {
		w := &ev.Execution.KernelWaits[i]
		if w.Unproven || !policy.AtLeast(policy.LargeShare, w.Time, ev.GPU.Busy) {
			continue
		}
		r.Advice = "let a command buffer wait for an event (encodeWaitForEvent:value:) instead of polling memory in a " +
			"kernel; otherwise " + r.Advice
		r.explain("for %s of its busy time the GPU ran kernels of queue %s that wait until work of queue %s has ended",
			w.Time, queueName(w.Waiting), queueName(w.Awaited))
		return
	}
}

// tellPossibleWaits adds a sentence if kernels may wait on the GPU for another queue's work, but the trace does not
// prove it.
func (r *Finding) tellPossibleWaits(ev *evidence.Evidence) {
	for i := range ev.Execution.KernelWaits {
		w := &ev.Execution.KernelWaits[i]
		if !w.Unproven || !policy.AtLeast(policy.Majority, w.Time, ev.Execution.Waited) {
			continue
		}
		r.Confidence = min(r.Confidence, policy.ConfidenceInferred)
		r.explain("command buffers of queue %s begin with work of queue %s and end right after it (%d of %d): "+
			"the trace does not show whether they poll memory until that work has written it, or compute for as long",
			queueName(w.Waiting), queueName(w.Awaited), w.Follow, w.Of)
		return
	}
}
