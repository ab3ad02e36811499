package cause

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// Unrecorded tells, in reports on traces without waits, why they show less.
const Unrecorded = "Instruments records neither waits nor locks; mtrace run does"

// waitlessVerdict decides for a trace without waits. It uses the GPU's activity, and threads with only one command
// buffer in flight at a time. It does not apply the other rules, because they would conclude from the missing waits
// that no thread waits.
func waitlessVerdict(ev *evidence.Evidence) (v Verdict) {
	v.Cause = None
	if ev.Occupancy.Buffers == 0 && allFailed(ev.Trace) == "" {
		v.Summary = "Not enough data for a verdict: there are no GPU times of the program's work."
		return v
	}
	if reason := v.tooLittle(ev); reason != "" {
		v.Summary = "Not enough data for a verdict: " + reason + "."
		return v
	}
	found := gpuSaturated(ev)
	// the GPU is busy all the time without a backlog, so its own work takes the run's time
	if !found.Present && policy.Saturated(ev.Occupancy.Busy) {
		v.RuledOut = append(v.RuledOut, found)
		found = Finding{Cause: GPUBound, Present: true, Standing: Limit, Advice: gpuBoundAdvice,
			Confidence: policy.ConfidenceInferred}
	}
	if !found.Present {
		v.RuledOut = append(v.RuledOut, found)
		v.judgeRoundTrips(ev, evidence.RoundTripsOf(ev.Trace))
		return v
	}
	found.Lost, found.Explains, found.Evidence = 0, 0, nil
	found.explain("the GPU was busy for %s of the time from the first commit to the last completion",
		percent(ev.Occupancy.Busy))
	found.explain("for %s of that time, more work was pending", percent(ev.Occupancy.Pending))
	v.Cause, v.Confidence = found.Cause, trust(ev.Trace, found.Confidence)
	v.Causes = []Finding{found}
	for _, cause := range []string{LaunchBound, CPUBound} {
		r := Finding{Cause: cause}
		v.RuledOut = append(v.RuledOut, r.reject("the GPU had no idle time"))
	}
	v.Summary = "The GPU is the limit: it was busy for " + percent(ev.Occupancy.Busy) +
		" of the time. How long threads waited for it is not known: " + Unrecorded + "."
	return v
}

// judgeRoundTrips decides on the verdict if the GPU is not the limit. It relies on threads with one command buffer at
// a time: the trace shows where their time goes even without waits.
func (v *Verdict) judgeRoundTrips(ev *evidence.Evidence, c *evidence.RoundTrips) {
	idle, threads := percent(1-ev.Occupancy.Busy), ev.Submitters.Committers
	switch {
	case c.MostFlying == 1 && threads > 1:
		v.Summary = fmt.Sprintf("%d threads commit, but there is never more than one command buffer in flight: "+
			"a lock, a device-wide synchronization or a single worker admits one thread at a time; "+
			"the GPU is not the limit.", threads)
		r := Finding{Cause: SingleSubmitter}
		v.RuledOut = append(v.RuledOut, r.reject("more than one thread commits"))
	case c.Synchronous > 0 && c.Synchronous == c.Threads:
		v.judgeSynchronous(ev, c)
	case threads == 0:
		v.Summary = "The GPU is idle for " + idle +
			" of the time: the reason is not recorded, and the export does not have the threads that committed."
	case threads == 1:
		v.Summary = "One thread commits all command buffers and the GPU is idle for " + idle +
			" of the time: whether others wait for that thread is not recorded."
	default:
		v.Summary = fmt.Sprintf(
			"The GPU is idle for %s of the time although %d threads commit: the reason is not recorded (%s).",
			idle, threads, Unrecorded)
	}
}

// judgeSynchronous decides for a program in which every thread has one command buffer in flight at a time.
func (v *Verdict) judgeSynchronous(ev *evidence.Evidence, c *evidence.RoundTrips) {
	total, launching := c.Total(), c.Start+c.Notify
	of := func(n analyze.Nanos) string { return percent(evidence.Share(n, total)) }
	r := Finding{Cause: LaunchBound, Present: true, Lost: launching, Confidence: policy.ConfidenceInferred,
		Advice: launchAdvice}
	r.explain("%s: each creates a command buffer only after its last one completed; of their time, %s is encoding, "+
		"%s from commit to GPU start, %s GPU, %s from GPU end to completion, %s between completion and the next",
		analyze.Plural(c.Threads, "thread"), of(c.Encode), of(c.Start), of(c.GPU),
		of(c.Notify), of(c.Between))
	switch {
	case launching > 2*c.GPU && policy.MoreThan(policy.Majority, launching, total):
		r.summarize("Each thread has one command buffer in flight at a time; "+
			"starting it and its completion notification take %s of the threads' time, its GPU work %s.",
			of(launching), of(c.GPU))
		v.Cause, v.Summary, v.Causes = r.Cause, r.Summary, []Finding{r}
		v.Share, v.Confidence = evidence.Share(launching, total), trust(ev.Trace, r.Confidence)
	case policy.MoreThan(policy.Majority, c.Between, total):
		v.Summary = fmt.Sprintf("For %s of the threads' time none of their work is in flight: "+
			"they compute, or wait for something that is not recorded.", of(c.Between))
	default:
		v.Summary = fmt.Sprintf(
			"Each thread has one command buffer in flight at a time and creates no new work while it runs: "+
				"the GPU is idle for %s of the time.", percent(1-ev.Occupancy.Busy))
	}
}
