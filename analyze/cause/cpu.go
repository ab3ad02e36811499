package cause

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// cpuBound holds if the GPU waits because threads compute, or lack a processor. Time outside of Metal alone does not
// show that a thread computes: the thread may sleep, or wait for something that is not recorded.
func cpuBound(ev *evidence.Evidence) Finding {
	r := Finding{Cause: CPUBound, Confidence: policy.ConfidenceInferred,
		Advice: "the GPU waits for the program: " +
			"look at the program's own code with a CPU profiler, and do not run more threads than there are processors"}
	if ev.Occupancy.Buffers > 0 && ev.Occupancy.Busy >= policy.DominantShare.Value && !starvedBesideRoom(ev) {
		return r.reject("the GPU was busy for %s of the time", percent(ev.Occupancy.Busy))
	}
	if ev.Processors.Known() {
		r = cpuBoundBySamples(ev, r)
	} else {
		r = cpuBoundByTotals(ev, r)
	}
	if r.Present && !ev.Processors.Starved() && ev.Execution.Most() {
		r.Standing = Limit
	}
	if r.Present && !ev.Processors.Starved() {
		r.replaceCalls(ev)
	}
	if r.Present && ev.Occupancy.Buffers > 0 {
		r.explain("meanwhile the GPU was busy for %s of the time", percent(ev.Occupancy.Busy))
	}
	if r.Present {
		r.summarize("%s", cpuSummary(ev, &r))
	}
	return r
}

// starvedBesideRoom reports whether threads lack processors while the GPU has spare capacity or little pending work.
// Then processors, and not the GPU, are the limit.
func starvedBesideRoom(ev *evidence.Evidence) bool {
	return ev.Processors.Starved() && (ev.Occupancy.HasSpareCapacity || ev.Occupancy.Pending < policy.WorthNaming.Value) &&
		ev.Processors.Waited > ev.Times.Sum(analyze.PartWaitExecuting)
}

// waiting has two figures with which the method part estimates how much of the threads' computing made the GPU wait.
// Computing while the GPU is busy does not make the run longer.
type waiting struct {
	unfed float64       // share (0 to 1) of the threads' time outside of Metal in which they had no work in flight
	turns analyze.Nanos // thread time lost to a lock that is not in the trace; see lostToHiddenLock
}

// part returns how much of the threads' time outside of Metal made the GPU wait. It excludes time with GPU work in
// flight (the thread polls, or prepares the next command buffer) and time spent spinning for a lock.
func (w waiting) part(outside analyze.Nanos) analyze.Nanos {
	return max(0, analyze.Nanos(float64(outside)*w.unfed)-w.turns)
}

// accompanied returns, for the report, why the GPU did not wait while the threads computed.
func (w waiting) accompanied() string {
	if w.turns > 0 {
		return "they waited for each other, or had work in flight"
	}
	return "they had work in flight and polled for its end, or prepared the next command buffer"
}

// lostToHiddenLock returns the thread time that is lost to a lock whose waits are not in the trace. Such a lock is
// recognized because threads use the GPU one after the other. The time must not count as computing, although threads
// that spin for the lock look as if they computed.
func lostToHiddenLock(ev *evidence.Evidence) analyze.Nanos {
	if r, byTurns := findInterpreterLock(ev); byTurns {
		return r.Lost
	}
	if r, by := findLock(ev); by == hiddenByTurns || by == hiddenBySpinning {
		return r.Lost
	}
	return 0
}

// cpuBoundBySamples decides from samples of how long each thread ran and how long it waited for a processor.
func cpuBoundBySamples(ev *evidence.Evidence, r Finding) Finding {
	p, w := &ev.Processors, waiting{ev.Submitters.Unfed, lostToHiddenLock(ev)}
	of := func(n analyze.Nanos) string { return percent(evidence.Share(n, p.Covered)) }
	switch {
	case ev.Processors.OneAtATime && !ev.Processors.Starved() && evidence.Share(p.Ran,
		ev.Processors.Wall) < policy.SerialParallelism.Value &&
		len(ev.Submitters.Taking) > 1:
		return r.reject("the program used the time of one processor only, and an interpreter runs one thread at a time")
	case !ev.Processors.Starved() && evidence.Share(p.Computed+p.Waited, p.Covered) < policy.Majority.Value:
		return r.reject("threads ran for %s of their time, waited for a processor for %s, and slept for the rest",
			of(p.Ran),
			of(p.Waited))
	}
	computed := w.part(p.Computed)
	if !ev.Processors.Starved() && evidence.Share(w.part(p.Computed+p.Waited), p.Covered) < policy.LargeShare.Value {
		return r.reject("threads ran for %s of their time, but the GPU waited for them for only %s: otherwise %s",
			of(p.Ran), of(computed), w.accompanied())
	}
	r.Present, r.Confidence = true, policy.ConfidenceRecorded
	waited := p.Waited
	if spun := w.turns - analyze.Nanos(float64(p.Computed)*w.unfed); spun > 0 { // they were runnable only to spin
		waited = max(0, waited-spun)
	}
	r.Explains = waited + computed
	// an interpreter runs Python code one thread at a time, so its lock, and not the computing, may be the cause
	if ev.Processors.OneAtATime && lostTo(interpreterLock, ev) > waited {
		r.Explains, computed = waited, 0
	}
	if r.Lost = waited; waited < computed {
		r.Lost = r.Explains
	}
	r.explain("threads ran for %s of their time and waited for a processor for %s, in all %s", of(p.Ran), of(p.Waited),
		p.Waited)
	if n := ev.Trace.Source.Processors; n > 0 && ev.Processors.Starved() {
		rest := ""
		switch others, known := ev.Trace.OthersHad(ev.Trace.TimeRange); {
		case had(ev) >= policy.DominantShare.Value:
			r.Advice = "do not run more threads than there are processors, and give them less to compute: " +
				"a CPU profiler shows where"
		case known && others >= policy.ChanceShare.Value:
			rest = fmt.Sprintf("; other programs used %s", percent(others))
			r.Advice = "find out which other programs use the processors and stop them, or run fewer threads"
		case known:
			rest = "; a CPU affinity or quota kept the threads from using the rest"
			r.Advice =
				"see what keeps the threads from the processors (taskset, a container's quota), or run fewer threads"
		default:
			rest = "; other programs used the rest, or a CPU affinity or quota kept the threads from it"
			r.Advice = "find out which other programs use the processors, " +
				"or what keeps the threads from them (taskset, a container's quota); or run fewer threads"
		}
		r.explain("%s used %s of the machine's %d processors%s", analyze.Plural(len(ev.Submitters.Taking),
			"thread"),
			percent(min(1, had(ev))), n, rest)
	}
	if !policy.NearlyAll(p.Covered, ev.Submitters.Time) {
		r.explain("the use of processors is known for %s of the threads' time", percent(ev.Submitters.Share(p.Covered)))
	}
	return r
}

// had returns the share (0 to 1) of all processors' time in which the threads ran.
func had(ev *evidence.Evidence) float64 {
	return evidence.Share(ev.Processors.Ran, ev.Trace.TimeRange.Length()) / float64(max(1, ev.Trace.Source.Processors))
}

// cpuBoundByTotals decides without samples of how long threads waited for processors. It knows only how long
// processes or threads ran.
func cpuBoundByTotals(ev *evidence.Evidence, r Finding) Finding {
	outside, encode := ev.Times.Sum(analyze.PartOutside),
		ev.Times.Sum(analyze.PartEncode)+ev.Times.Sum(analyze.PartOtherAPI)
	away, cpu := waiting{ev.Submitters.Unfed, lostToHiddenLock(ev)}.part(outside)+encode, ev.Processors.Used
	if policy.AtLeast(policy.Majority, ev.Processors.Covered, ev.Submitters.Time) {
		cpu = ev.Processors.Ran
	}
	switch {
	case ev.Submitters.Share(away) < policy.Majority.Value:
		return r.reject("threads spent %s of their time outside of Metal and encoding", percent(ev.Submitters.Share(away)))
	case cpu == 0 && !ev.Processors.Starved():
		return r.reject("threads spent %s of their time outside of Metal; whether they computed there is not in the trace",
			percent(ev.Submitters.Share(away)))
	}
	processors := float64(max(1, ev.Trace.Source.Processors))
	computing, full := min(1, evidence.Share(cpu, away)), evidence.Share(max(cpu, ev.Processors.Used),
		ev.Trace.TimeRange.Length())/processors
	switch {
	case ev.Processors.OneAtATime && evidence.Share(cpu, ev.Processors.Wall) < policy.SerialParallelism.Value:
		return r.reject("the program used the time of one processor only, and an interpreter runs one thread at a time")
	case ev.Processors.Starved():
		r.explain(
			"a waiting thread resumes %s after its work was seen to complete (median of %d): it waits for a processor",
			ev.Processors.Wake, ev.Processors.Wakes)
	case computing < policy.Majority.Value && full < policy.DominantShare.Value && (computing < policy.LargeShare.Value ||
		full < policy.LargeShare.Value):
		return r.reject("threads spent %s of their time outside of Metal, but used a processor in at most %s of that",
			percent(ev.Submitters.Share(away)), percent(computing))
	}
	r.Present = true
	r.Lost, r.Explains = away, away
	r.explain("threads spent %s of their time outside of Metal and %s encoding; the program used %s of processor time",
		percent(ev.Submitters.Share(outside)), percent(ev.Submitters.Share(encode)), cpu)
	if (full >= policy.Majority.Value || ev.Processors.Starved()) && cpu > 0 && ev.Trace.Source.Processors > 0 {
		if waiting := away - cpu; waiting > 0 {
			if waiting >= cpu {
				r.Lost = waiting
			}
			r.explain("the program used %s of the machine's %d processors: its %d threads waited %s for one",
				percent(min(1, full)),
				ev.Trace.Source.Processors, len(ev.Submitters.Taking), waiting)
		}
	}
	return r
}

// cpuSummary returns the verdict cpu-bound as one sentence.
func cpuSummary(ev *evidence.Evidence, top *Finding) string {
	p := &ev.Processors
	switch {
	case !p.Known():
		return fmt.Sprintf("The GPU waits for the program: "+
			"threads spend %s of their time in the program's own code and preparing work (encoding)%s.",
			percent(ev.Submitters.Share(top.Weight())),
			busyWords(ev, ", and the GPU is busy for %s"))
	case ev.Processors.Starved():
		return fmt.Sprintf("Threads wait for a processor for %s of their time%s.",
			percent(evidence.Share(p.Waited, p.Covered)), busyWords(ev, ", while the GPU is busy for %s of it"))
	}
	return fmt.Sprintf("The GPU waits for the program: threads compute for %s of their time%s.",
		percent(evidence.Share(waiting{ev.Submitters.Unfed, lostToHiddenLock(ev)}.part(p.Computed), p.Covered)),
		busyWords(ev, ", and the GPU is busy for %s"))
}
