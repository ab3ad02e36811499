package serial

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// cpuBound: the threads compute, or want to and have no processor, and the GPU waits for them. That threads are outside of Metal
// does not say that they compute: they may sleep, or wait for something that is not traced.
func cpuBound(a *Analysis, f *facts) Finding {
	r := Finding{Cause: CPUBound, Confidence: policy.Inferred,
		Advice: "the GPU waits for the program: look at the program's own code with a CPU profiler, and do not run more threads than there are processors"}
	if f.buffers > 0 && f.busy >= policy.Busy.Value && !a.starvedBesideRoom(f) {
		return r.not("the GPU was busy for %s of the time", percent(f.busy))
	}
	if f.processors.known(f.total) {
		r = cpuBoundBySamples(a, f, r)
	} else {
		r = cpuBoundByTotals(a, f, r)
	}
	if r.Holds && f.buffers > 0 {
		r.say("meanwhile the GPU was busy for %s of the time", percent(f.busy))
	}
	return r
}

// starvedBesideRoom says whether threads lack processors though the GPU, which one or the other keeps busy, has room for the work of all.
func (a *Analysis) starvedBesideRoom(f *facts) bool {
	return f.starved() && (f.hasRoom || f.backlog < policy.WorthNaming.Value) && f.processors.waited > a.Sum(analyze.PartWaitExecuting)
}

// alone is the part of a time outside of Metal in which the GPU waited for the thread: it had no work in flight, as it has when
// it polls for its end or prepares the next, and did not spin for a lock that shows in threads taking turns.
func (f *facts) alone(outside analyze.Nanos) analyze.Nanos {
	return max(0, analyze.Nanos(float64(outside)*f.unfed)-f.turnsLost)
}

// accompanied says why computing is not what the GPU waits for.
func (f *facts) accompanied() string {
	if f.turnsLost > 0 {
		return "they waited for each other or had work in flight"
	}
	return "they had work in flight: they polled for its end, or prepared the next meanwhile"
}

// cpuBoundBySamples knows how long each thread ran and waited for a processor.
func cpuBoundBySamples(a *Analysis, f *facts, r Finding) Finding {
	p := &f.processors
	of := func(n analyze.Nanos) string { return percent(share(n, p.covered)) }
	switch {
	case f.oneAtATime && !f.starved() && share(p.ran, f.wall) < policy.OneProcessor.Value && len(f.threads) > 1:
		return r.not("the program used the time of one processor only, and an interpreter runs one thread at a time")
	case !f.starved() && share(p.computed+p.waited, p.covered) < policy.Most.Value:
		return r.not("of their time threads ran for %s and waited for a processor for %s; the rest they slept", of(p.ran), of(p.waited))
	}
	computed := f.alone(p.computed)
	if !f.starved() && share(f.alone(p.computed+p.waited), p.covered) < policy.Much.Value {
		return r.not("of their time threads ran for %s, but for all but %s of it %s", of(p.ran), of(computed), f.accompanied())
	}
	r.Holds, r.Confidence, r.limit = true, policy.Recorded, a.mostlyExecutes(f)
	waited := p.waited
	if spun := f.turnsLost - analyze.Nanos(float64(p.computed)*f.unfed); spun > 0 { // they wanted the processor only to spin
		waited = max(0, waited-spun)
	}
	r.explains = waited + computed
	if f.oneAtATime && f.found[InterpreterLock] > waited { // what they compute, they compute one at a time
		r.explains, computed = waited, 0
	}
	if r.Lost = waited; waited < computed {
		r.Lost = r.explains
	}
	r.say("of their time threads ran for %s and waited for a processor for %s, %s", of(p.ran), of(p.waited), p.waited)
	if n := a.Trace.Source.Processors; n > 0 && f.starved() {
		others := a.had(f) < policy.Busy.Value
		r.say("%s had %s of the time of the machine's %d processors%s", plural(len(f.threads), "thread"), percent(min(1, a.had(f))), n, map[bool]string{true: "; others had the rest, or an affinity or a quota kept them from it"}[others])
		if others {
			r.Advice = "see what else has the processors, or what keeps the threads from them (taskset, a container's quota): stop it, or run fewer threads"
		} else {
			r.Advice = "do not run more threads than there are processors, and give them less to compute: a CPU profiler shows where"
		}
	}
	if !policy.AtLeast(policy.NearlyAll, p.covered, f.total) {
		r.say("that is known of %s of the threads' time", percent(f.share(p.covered)))
	}
	return r
}

// had is the share of all processors' time that the threads had.
func (a *Analysis) had(f *facts) float64 {
	return share(f.processors.ran, a.Trace.Window.Length()) / float64(max(1, a.Trace.Source.Processors))
}

// cpuBoundByTotals knows the processor time of the processes, or how long threads ran but not how long they wanted to.
func cpuBoundByTotals(a *Analysis, f *facts, r Finding) Finding {
	outside, encode := a.Sum(analyze.PartOutside), a.Sum(analyze.PartEncode)+a.Sum(analyze.PartOtherAPI)
	away, cpu := f.alone(outside)+encode, f.cpu
	if policy.AtLeast(policy.Most, f.processors.covered, f.total) {
		cpu = f.processors.ran
	}
	switch {
	case f.share(away) < policy.Most.Value:
		return r.not("threads spent %s of their time outside of Metal and encoding", percent(f.share(away)))
	case cpu == 0 && !f.starved():
		return r.not("threads spent %s of their time outside of Metal; whether they computed there is not in the trace", percent(f.share(away)))
	}
	processors := float64(max(1, a.Trace.Source.Processors))
	computing, full := min(1, share(cpu, away)), share(max(cpu, f.cpu), a.Trace.Window.Length())/processors
	switch {
	case f.oneAtATime && share(cpu, f.wall) < policy.OneProcessor.Value:
		return r.not("the program used the time of one processor only, and an interpreter runs one thread at a time")
	case f.starved():
		r.say("a waiting thread runs on %s after its work was seen to be done (median of %d): it waits for a processor", f.processors.wake, f.processors.wakes)
	case computing < policy.Most.Value && full < policy.Broad.Value && (computing < policy.Much.Value || full < policy.Much.Value):
		return r.not("threads spent %s of their time outside of Metal, but used a processor in at most %s of that", percent(f.share(away)), percent(computing))
	}
	r.Holds, r.limit = true, a.mostlyExecutes(f)
	r.Lost, r.explains = away, away
	r.say("threads spent %s of their time outside of Metal and %s encoding; the program used %s of processor time", percent(f.share(outside)), percent(f.share(encode)), cpu)
	if (full >= policy.Most.Value || f.starved()) && cpu > 0 && a.Trace.Source.Processors > 0 {
		if waiting := away - cpu; waiting > 0 {
			if waiting >= cpu {
				r.Lost = waiting
			}
			r.say("it had %s of the machine's %d processors: its %d threads waited %s for one", percent(min(1, full)), a.Trace.Source.Processors, len(f.threads), waiting)
		}
	}
	return r
}

// cpuSummary is the verdict in one sentence.
func cpuSummary(a *Analysis, f *facts, top *Finding) string {
	p := &f.processors
	switch {
	case !p.known(f.total):
		return fmt.Sprintf("The GPU waits for the program: threads spend %s of their time outside of Metal and encoding%s.", percent(f.share(top.weight())),
			f.busyWords(", and the GPU is busy for %s"))
	case f.starved():
		return fmt.Sprintf("Threads wait for a processor for %s of their time%s.", percent(share(p.waited, p.covered)), f.busyWords(", while the GPU is busy for %s of it"))
	}
	return fmt.Sprintf("The GPU waits for the program: threads compute for %s of their time%s.", percent(share(f.alone(p.computed), p.covered)), f.busyWords(", and the GPU is busy for %s"))
}
