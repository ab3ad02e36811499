package serial

import (
	"slices"

	"mtrace/analyze"
)

// foreignLoad: the driver had handed work to the GPU, the GPU ran nothing of the program, and did not begin it: another program has
// it. What of its own run another program interrupts is not seen: Metal's GPU times then only are longer.
func foreignLoad(a *Analysis, f *facts) Finding {
	r := Finding{Cause: ForeignGPULoad, Confidence: 0.6,
		Advice: "see what else uses the GPU (Activity Monitor's GPU history, powermetrics), and measure without it; a GPU that slept begins late too"}
	delays := a.startDelays()
	switch {
	case len(delays) < enoughBuffers:
		return r.not("when the driver handed work to the GPU is not in the trace")
	case f.saturated:
		return r.not("the GPU had no idle time")
	}
	var all []analyze.Nanos
	idle := map[*analyze.CommandBuffer]analyze.Nanos{}
	for b, d := range delays {
		idle[b] = d.Length() - a.deviceOf(b).all.Within(d)
		all = append(all, idle[b])
	}
	slices.Sort(all)
	usual := min(all[len(all)/10], longLaunch)
	late := 0
	var each []analyze.Nanos
	held := map[*analyze.CommandBuffer]analyze.Interval{}
	for b, d := range delays {
		if idle[b] > longLaunch {
			late++
			each = append(each, idle[b])
			held[b] = analyze.Interval{Begin: d.Begin + usual, End: d.End}
		}
	}
	if late < enoughBuffers {
		return r.not("of %d command buffers that the driver handed to an idle GPU, %d began more than %s late", len(delays), late, longLaunch)
	}
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if d, known := held[w.Buffer]; known && w.Buffer != nil {
			d = clip(d, queuedPart(w))
			r.Lost += d.Length() - a.deviceOf(w.Buffer).all.Within(d)
		}
	}
	switch {
	case f.share(r.Lost) < 0.01:
		return r.not("%d command buffers began late on an idle GPU, for which threads waited %s", late, r.Lost)
	case f.starved() || f.processors.known(f.total) && f.processors.waited*10 >= f.processors.covered || a.waitedForProcessors(f) >= muchWaitingOfAll:
		return r.not("threads waited for processors: what hands work to the GPU may have, too")
	}
	r.Holds = true
	for b, d := range held {
		a.released[b].elsewhere = d
	}
	r.say("%d of %d command buffers that the driver had handed over waited for a GPU that ran nothing of this program, for %s (median)", late, len(delays), median(each))
	r.say("threads waited for %s because of it, %s of their time", r.Lost, percent(f.share(r.Lost)))
	r.say("the GPU was busy with this program for %s of the time", percent(f.busy))
	return r
}

// muchWaitingOfAll is how long, as a share of the time, any thread of the processes waits for a processor when the machine is busy.
const muchWaitingOfAll = 0.05

// waitedForProcessors is the time that all threads of the processes waited for processors, those that make no call of Metal's
// included, as a share of the time; 0 when it is not known.
func (a *Analysis) waitedForProcessors(f *facts) (most float64) {
	for _, p := range a.Trace.Processes {
		if cpu := p.CPUIn(a.Trace.Window); cpu.Waited != analyze.NotKnown {
			most = max(most, share(cpu.Waited, cpu.Covered))
		}
	}
	return most
}

// startDelays is, for each command buffer that was ready and that the driver had handed to the GPU, the time to its beginning.
func (a *Analysis) startDelays() map[*analyze.CommandBuffer]analyze.Interval {
	delays := map[*analyze.CommandBuffer]analyze.Interval{}
	for b, x := range a.released {
		if handed := max(b.Kernel.End, b.Scheduled); handed > 0 && b.GPU.Known() && x.event.Length() == 0 {
			delays[b] = analyze.Interval{Begin: min(max(handed, x.at), b.GPU.Begin), End: b.GPU.Begin}
		}
	}
	return delays
}
