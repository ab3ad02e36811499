package serial

import (
	"slices"

	"mtrace/analyze"
)

// slowWake is how late a thread goes on, after what it waits for was seen to be done, when it has to wait for a processor. With
// a processor free it takes 5 to 30 µs.
const slowWake analyze.Nanos = 200_000

// starved says whether threads wait for processors.
func (f *facts) starved() bool { return f.wakes >= enoughIntervals && f.wake >= slowWake }

// wakes finds how long after the tracer's completion handler a wait returns: the median.
func (a *Analysis) wakes(f *facts) {
	var all []analyze.Nanos
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if b := w.Buffer; b != nil && b.Completed.Known() && w.Begin < b.Completed.Begin && w.End >= b.Completed.End {
			all = append(all, w.End-b.Completed.End)
		}
	}
	if f.wakes = len(all); f.wakes > 0 {
		slices.Sort(all)
		f.wake = all[len(all)/2]
	}
}

// cpuBound: the threads compute, and the GPU waits for them. That threads are outside of Metal does not say that they compute:
// they may sleep, or wait for something that is not traced. The processor time of the process tells.
func cpuBound(a *Analysis, f *facts) Finding {
	r := Finding{Cause: CPUBound, Confidence: 0.8,
		Advice: "the GPU waits for the program: look at the program's own code with a CPU profiler, and do not run more threads than there are processors"}
	outside, encode := a.Sum(analyze.PartOutside), a.Sum(analyze.PartEncode)+a.Sum(analyze.PartOtherAPI)
	away := outside + encode
	switch {
	case f.buffers > 0 && f.busy >= 0.7:
		return r.not("the GPU was busy for %s of the time", percent(f.busy))
	case f.share(away) < 0.4:
		return r.not("threads spent %s of their time outside of Metal and encoding", percent(f.share(away)))
	case f.cpu == 0 && !f.starved():
		return r.not("threads spent %s of their time outside of Metal; whether they computed there is not in the trace", percent(f.share(away)))
	}
	processors := float64(max(1, a.Trace.Source.Processors))
	computing, full := min(1, share(f.cpu, away)), share(f.cpu, f.wall)/processors
	switch {
	case f.oneAtATime && share(f.cpu, f.wall) < 1.2:
		return r.not("the program used the time of one processor only, and an interpreter runs one thread at a time")
	case f.starved():
		r.say("a waiting thread runs on %s after its work was seen to be done (median of %d): it waits for a processor", f.wake, f.wakes)
	case computing < 0.5 && full < 0.75 && (computing < 0.25 || full < 0.4):
		return r.not("threads spent %s of their time outside of Metal, but used a processor in at most %s of that", percent(f.share(away)), percent(computing))
	}
	r.Holds = true
	r.Lost, r.explains = away, away
	r.say("threads spent %s of their time outside of Metal and %s encoding; the program used %s of processor time", percent(f.share(outside)), percent(f.share(encode)), f.cpu)
	if (full >= 0.5 || f.starved()) && f.cpu > 0 && a.Trace.Source.Processors > 0 {
		if waiting := away - f.cpu; waiting > 0 {
			r.Lost = waiting
			r.say("it had %s of the machine's %d processors: its %d threads waited %s for one", percent(min(1, full)), a.Trace.Source.Processors, len(f.threads), waiting)
		}
	}
	if f.buffers > 0 {
		r.say("meanwhile the GPU was busy for %s of the time", percent(f.busy))
	}
	return r
}
