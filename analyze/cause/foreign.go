package cause

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// externalLoad holds if an external process uses the GPU and delays the program. It is reported, but never a verdict.
func externalLoad(ev *evidence.Evidence) Finding {
	r := Finding{Cause: ExternalGPULoad, Confidence: policy.ConfidenceGuessed, Standing: Outside,
		Advice: "see what else uses the GPU (Activity Monitor's GPU history, powermetrics), and measure without it; " +
			"a GPU that leaves a low-power state starts late, too"}
	f := &ev.External
	r.Lost = f.Waited
	if why := notExternal(ev); why != "" {
		return r.reject("%s", why)
	}
	r.Present = true
	cost := externalInterruptions(ev)
	r.Lost += cost.Itself + cost.Behind
	if f.Late > 0 {
		r.explain("%d of %d scheduled command buffers began late although the GPU ran nothing of this program, "+
			"by %s (median)%s", f.Late, f.Delays, f.Usual, stallWords(f))
	}
	if cost.Itself+cost.Behind > 0 {
		r.explain("%d command buffers took more than %d times as long on the GPU as the same work usually does: "+
			"threads waited %s longer for them, and %s for work queued behind them",
			cost.Buffers, policy.OutlierRatio.Count(), cost.Itself, cost.Behind)
	}
	r.explain("these delays made threads wait %s, %s of their time", r.Lost, percent(ev.Submitters.Share(r.Lost)))
	r.explain("the GPU was busy with this program for %s of the time", percent(ev.Occupancy.Busy))
	r.summarize("Another program uses the GPU: waiting for it costs %s of the threads' time.", percent(min(1,
		ev.Submitters.Share(r.Lost))))
	return r
}

// stallWords returns how often the GPU stalled, as the end of a sentence about the command buffers that began late;
// "" if each began late at another time.
func stallWords(f *evidence.ExternalLoad) string {
	if f.Moments == f.Late {
		return ""
	}
	return ", in " + analyze.Plural(f.Moments, "stall")
}

// notExternal returns "" if an external process delays this program's work on the GPU, or else the reason why it does
// not. A lack of processors looks similar, because the driver then submits late. It is distinguished by its other
// effects: late completion notifications, and threads that wait for processors for most of the delay. The trace shows
// only a part of that lack: waits of the system's own threads are not in it.
func notExternal(ev *evidence.Evidence) string {
	f, p := &ev.External, &ev.Processors
	switch {
	case f.Delays < policy.FewestOccurrences.Count():
		return "the trace does not say when the driver scheduled command buffers"
	case f.Saturated && !f.AllStood:
		return "the GPU had no idle time"
	case !f.Enough():
		return fmt.Sprintf("of %d scheduled command buffers, %d began more than %s late on an idle GPU%s",
			f.Delays, f.Late, policy.LongestHandOff.Nanos(), stallWords(f))
	case ev.Submitters.Share(f.Waited) < policy.NegligibleShare.Value && !f.AllStood:
		return fmt.Sprintf("%d command buffers began late on an idle GPU; threads waited %s for them", f.Late, f.Waited)
	case p.Starved() || policy.AtLeast(policy.Majority, f.WaitedForProcessors, f.IdleReady) ||
		f.WaitedForProcessors == 0 && p.Known() && policy.AtLeast(policy.WorthNaming, p.Waited, p.Covered):
		return fmt.Sprintf(
			"an idle GPU began work late, by %s in all, but a thread of the program waited %s for processors: "+
				"the driver may have waited for them, too", f.IdleReady, f.WaitedForProcessors)
	case policy.AtLeast(policy.LargeShare, f.LateNotices, f.IdleReady):
		return fmt.Sprintf(
			"an idle GPU began work late, by %s in all, but completion notifications were late, too, by %s: "+
				"the driver may lack processors", f.IdleReady, f.LateNotices)
	}
	return ""
}

// interruptedByOther reports whether command buffers that took far longer than usual were interrupted by an external
// process. If not, their kernels may simply have had more to do, depending on their data.
func interruptedByOther(ev *evidence.Evidence) bool {
	f := &ev.External
	return notExternal(ev) == "" &&
		(f.AllStood || float64(f.Interrupted.Busiest) <= policy.OutlierRatio.Value*float64(f.IdleReady))
}

// externalInterruptions returns what interruptions by an external process cost; zero if there were none.
func externalInterruptions(ev *evidence.Evidence) (cost evidence.Interruptions) {
	if interruptedByOther(ev) {
		cost = ev.External.Interrupted
	}
	return cost
}

// takenByOther returns the GPU time that an external process took from each command buffer; empty if no external
// process used the GPU.
func takenByOther(ev *evidence.Evidence) (taken evidence.ExternalGPUUse) {
	if notExternal(ev) == "" {
		taken = ev.External.Taken(interruptedByOther(ev))
	}
	return taken
}
