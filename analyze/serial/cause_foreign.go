package serial

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// foreignLoad: the driver had handed work to the GPU, the GPU ran nothing of the program, and did not begin it: another program has
// it. Where that is so, what takes far longer than the same work usually does has been interrupted by the other program.
//
// It is found before the other causes, since what another program takes of the GPU is not the program's own work on it.
func foreignLoad(_ *Analysis, f *facts) Finding { return f.foreign }

func findForeign(a *Analysis, f *facts) Finding {
	r := Finding{Cause: ForeignGPULoad, Confidence: policy.Guessed, outside: true,
		Advice: "see what else uses the GPU (Activity Monitor's GPU history, powermetrics), and measure without it; a GPU that slept begins late too"}
	delays := a.startDelays()
	switch {
	case len(delays) < policy.Pattern.Count():
		return r.not("when the driver handed work to the GPU is not in the trace")
	case f.saturated:
		return r.not("the GPU had no idle time")
	}
	var all []analyze.Nanos
	idle := map[*analyze.CommandBuffer]analyze.Nanos{}
	for b, d := range delays {
		idle[b] = d.Length() - a.deviceOf(b).any.Within(d)
		all = append(all, idle[b])
	}
	slices.Sort(all)
	usual := min(all[len(all)/policy.Quick], policy.Launch.Nanos())
	late := 0
	var each []analyze.Nanos
	held := map[*analyze.CommandBuffer]analyze.Interval{}
	for b, d := range delays {
		if idle[b] > policy.Launch.Nanos() {
			late++
			each = append(each, idle[b])
			held[b] = analyze.Interval{Begin: d.Begin + usual, End: d.End}
		}
	}
	if late < policy.Pattern.Count() {
		return r.not("of %d command buffers that the driver handed to an idle GPU, %d began more than %s late", len(delays), late, policy.Launch.Nanos())
	}
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if d, known := held[w.Buffer]; known && w.Buffer != nil {
			d = clip(d, queuedPart(w))
			r.Lost += d.Length() - a.deviceOf(w.Buffer).any.Within(d)
		}
	}
	for b, d := range held {
		a.released[b].elsewhere = d
	}
	f.beganLate = r.Lost
	// What keeps a processor from those who hand work to the GPU keeps it from those who hear of its end, and from the program's threads.
	waited, rested, heard := a.waitedForProcessors(f.threads), a.idleDuring(held), a.lateNotices()
	switch {
	case f.share(r.Lost) < policy.Negligible.Value:
		return r.not("%d command buffers began late on an idle GPU, for which threads waited %s", late, r.Lost)
	case f.starved() || waited >= rested || waited == 0 && f.processors.known(f.total) && policy.AtLeast(policy.WorthNaming, f.processors.waited, f.processors.covered):
		return r.not("an idle GPU began work late, for %s in all, but a thread of the program waited %s for processors: what hands work to the GPU may have, too", rested, waited)
	case policy.AtLeast(policy.Much, heard, rested):
		return r.not("an idle GPU began work late, for %s in all, but completions were heard of late, too, for %s: what hands work to the GPU and hears of its end may lack processors", rested, heard)
	}
	r.Holds = true
	stood := a.interrupted()
	cost := a.interruptionsBy(stood, f.busiest.Device)
	if float64(cost.busiest) > policy.Outlier.Value*float64(rested) { // work that depends on its data, it may be
		cost = interruptions{}
	}
	f.interrupted = cost
	r.Lost += cost.itself + cost.behind
	r.say("%d of %d command buffers that the driver had handed over waited for a GPU that ran nothing of this program, for %s (median)", late, len(delays), median(each))
	if cost.itself+cost.behind > 0 {
		r.say("%d command buffers took more than %d times as long on the GPU as the same work usually does: threads waited %s longer for them, and %s for work behind them", len(stood), policy.Outlier.Count(), cost.itself, cost.behind)
	}
	r.say("threads waited for %s because of it, %s of their time", r.Lost, percent(f.share(r.Lost)))
	r.say("the GPU was busy with this program for %s of the time", percent(f.busy))
	return r
}

// waitedForProcessors is how long a thread that uses the GPU waited for processors, on average in each process, and added up over the
// processes: what keeps one from the GPU keeps it from all that share it. Threads count that make no call of Metal's, and those that
// stand for a GPU where there is none; 0 when it is not known.
func (a *Analysis) waitedForProcessors(threads []*ThreadTime) (sum analyze.Nanos) {
	submit := map[*analyze.Process]int{}
	for _, t := range threads {
		submit[t.Thread.Process]++
	}
	for _, p := range a.Trace.Processes {
		if cpu := p.CPUIn(a.Trace.Window); cpu.Waited != analyze.NotKnown {
			sum += cpu.Waited / analyze.Nanos(max(1, submit[p]))
		}
	}
	return sum
}

// lateNotices is how long completions were on their way of which the program heard more than policy.Launch after the GPU's end.
func (a *Analysis) lateNotices() analyze.Nanos {
	var list []analyze.Interval
	for _, b := range a.Trace.CommandBuffers {
		if b.GPU.Known() && b.Completed.Known() && b.Completed.Begin-b.GPU.End > policy.Launch.Nanos() {
			list = append(list, analyze.Interval{Begin: b.GPU.End, End: b.Completed.Begin})
		}
	}
	return NewBusy(list).Total()
}

// idleDuring is how long GPUs had nothing to do while one of the command buffers that were held up was ready.
func (a *Analysis) idleDuring(held map[*analyze.CommandBuffer]analyze.Interval) (sum analyze.Nanos) {
	for d, list := range a.onDevices(held) {
		for _, i := range NewBusy(list).Spans() {
			sum += i.Length() - d.any.Within(i)
		}
	}
	return sum
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
