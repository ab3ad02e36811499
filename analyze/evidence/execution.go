package evidence

import (
	"mtrace/analyze"
)

// MostlyExecutes says whether the GPU's own work takes more of the threads' time than what they do outside of Metal
// does, and than all else: no share is asked for, since what is the most depends on what there is.
func (ev *Evidence) MostlyExecutes() bool {
	executing := ev.Executing()
	outside := ev.Times.Sum(analyze.PartOutside) - ev.asleepExecuting()
	return executing >= outside && executing >= ev.Total-executing-outside
}

// Executing is the time in which threads wait while their own work runs: what they wait for, or what they had committed
// before it.
func (ev *Evidence) Executing() analyze.Nanos {
	return ev.Times.Sum(analyze.PartWaitExecuting) + ev.Times.Sum(analyze.PartWaitQueuedOwn) + ev.asleepExecuting()
}

// asleepExecuting is the time in which threads waited for a signal, as of their completion handlers, while their own
// work ran, or what another submitted for them.
func (ev *Evidence) asleepExecuting() (sum analyze.Nanos) {
	if ev.Handover.Holds() {
		for i := range ev.Handover.Replies {
			sum += ev.Handover.Replies[i].Own
		}
	}
	for w := range analyze.Each(ev.ThreadWaits.Merged) {
		if !ev.TakesPart[w.Thread] || w.GivenBack {
			continue
		}
		for _, d := range ev.Work.Devices {
			sum += d.byThread[w.Thread].Within(w.Interval.Within(atWork(w.Thread)))
		}
	}
	return sum
}

// WaitedWhileBusy is the thread time in waits for others' work, and for a free command buffer, during which a GPU was
// busy.
func (ev *Evidence) WaitedWhileBusy() (sum analyze.Nanos) {
	for w := range analyze.Each(ev.Trace.Waits) {
		if ForOthers(ev.Trace, w) {
			sum += ev.Work.Of(ev.Trace.WaitsFor(w)).all.Within(w.Interval)
		}
	}
	for _, c := range ev.Queues.Full {
		sum += ev.Work.Of(c.Buffer).all.Within(c.Interval)
	}
	return sum
}

// NotSaturated is the part of a wait that the GPU does not explain: all of it, unless the GPU is saturated.
func (ev *Evidence) NotSaturated(i analyze.Interval, b *analyze.CommandBuffer) analyze.Nanos {
	d := ev.Work.byModel[ev.Busiest.Device]
	if b != nil {
		d = ev.Work.Of(b)
	}
	if !ev.Saturated || d.Model != ev.Busiest.Device {
		return i.Length()
	}
	return i.Length() - d.all.Within(i)
}

// GPUTimes is how long the longest and the median of a queue's command buffers took on the GPU.
func GPUTimes(t *analyze.Trace, q *analyze.Queue) (most, usual analyze.Nanos) {
	var all []analyze.Nanos
	for b := range t.Buffers() {
		if b.Queue == q && b.GPU.Known() {
			all = append(all, b.GPU.Length())
			most = max(most, b.GPU.Length())
		}
	}
	return most, Median(all)
}
