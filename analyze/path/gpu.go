package path

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A gpuOrder has the command buffers that ran on the GPU, sorted for the walk back in time along the critical path.
type gpuOrder struct {
	byEnd   map[*evidence.Device][]ran
	serial  map[*evidence.Device]bool  // the device never ran two command buffers at the same time
	handled map[*analyze.Process][]ran // the command buffers with completion handlers of the program, sorted by end
	submits map[*analyze.Thread]bool
	last    *analyze.CommandBuffer // the command buffer that ended last; nil if none ran
}

// ran is the time in which a device ran a command buffer.
type ran struct {
	analyze.Interval
	buffer *analyze.CommandBuffer
}

func orderOf(ev *evidence.Evidence) gpuOrder {
	o := gpuOrder{byEnd: map[*evidence.Device][]ran{}, serial: map[*evidence.Device]bool{},
		handled: map[*analyze.Process][]ran{},
		submits: map[*analyze.Thread]bool{}}
	for _, d := range ev.Work.Devices {
		var list []ran
		d.Runs(func(i analyze.Interval, b *analyze.CommandBuffer) { list = append(list, ran{i, b}) })
		slices.SortFunc(list, func(x, y ran) int { return cmp.Compare(x.End, y.End) })
		o.byEnd[d], o.serial[d] = list, true
		for i, r := range list {
			if i > 0 && r.Begin < list[i-1].End {
				o.serial[d] = false
			}
			o.submits[r.buffer.Committed.Thread] = true
			if r.buffer.Handlers > 0 {
				o.handled[r.buffer.Process] = append(o.handled[r.buffer.Process], r)
			}
			if o.last == nil || r.End > o.last.GPU.End {
				o.last = r.buffer
			}
		}
	}
	for _, list := range o.handled {
		slices.SortStableFunc(list, func(x, y ran) int { return cmp.Compare(x.End, y.End) })
	}
	return o
}

// handledAt returns the command buffer whose completion handler thread t was running at an instant: the last one with
// handlers that the GPU had completed. It returns nil for a thread that commits work itself, because completion
// handlers run on threads of Metal.
func (o *gpuOrder) handledAt(t *analyze.Thread, at analyze.Nanos) *analyze.CommandBuffer {
	if t == nil || o.submits[t] {
		return nil
	}
	list := o.handled[t.Process]
	i := sort.Search(len(list), func(i int) bool { return list[i].End > at })
	// the handlers of an earlier command buffer may be the ones that still run
	for k := i - 1; k >= 0 && k >= i-policy.MostInFlight; k-- {
		if done := list[k].buffer.Completed; done.Known() && done.End >= at {
			return list[k].buffer
		}
	}
	if i == 0 || list[i-1].buffer.Completed.Known() && at-list[i-1].buffer.Completed.End > policy.LongestWakeup.Nanos() {
		return nil
	}
	return list[i-1].buffer
}

// alongGPU walks back from the end of command buffer b over the GPU work that kept it from starting earlier. It
// returns the thread whose commit started that work, on which the path continues.
func (w *walker) alongGPU(waiter *analyze.Thread, b *analyze.CommandBuffer) *analyze.Thread {
	w.spend(Notify, waiter, min(w.at, b.GPU.End))
	for w.steps < policy.MostPathSteps {
		w.run(b)
		x := w.Evidence.Releases.ReleaseOf(b.Index)
		if x == nil {
			return nil
		}
		before := w.gpu.endedBefore(w.Evidence.Work.Of(b), b, x.At, w.at)
		if x.Event.Length() > 0 && (before == nil && x.Event.End >= x.At ||
			x.Event.End >= w.at-policy.SignalSlack.Nanos()) {
			if x.ByThread != nil {
				w.spend(Scheduling, b.Committed.Thread, min(w.at, x.Event.End))
				return x.ByThread
			}
			if x.Signaler != analyze.NoCommandBuffer {
				before = w.Evidence.Trace.Buffer(x.Signaler)
			}
		}
		if before == nil {
			break
		}
		w.spend(Scheduling, b.Committed.Thread, min(w.at, before.GPU.End))
		b = before
	}
	by := b.Committed
	if x := w.Evidence.Releases.ReleaseOf(b.Index); x != nil && x.Head.Length() > 0 &&
		x.HeadBy != analyze.NoCommandBuffer {
		by = w.Evidence.Trace.Buffer(x.HeadBy).Committed
	}
	w.spend(Scheduling, by.Thread, min(w.at, by.End))
	return by.Thread
}

// run walks back to the beginning of a command buffer. The GPU may run a command buffer in several ranges; the time
// between two of them counts as scheduling.
func (w *walker) run(b *analyze.CommandBuffer) {
	by := b.Committed.Thread
	if !b.OneRow() {
		rows := slices.SortedFunc(b.GPUWork(), func(x, y analyze.GPUWork) int { return cmp.Compare(x.End, y.End) })
		for _, row := range slices.Backward(rows) {
			w.spend(Scheduling, by, max(b.GPU.Begin, min(w.at, row.End)))
			w.spend(GPU, by, min(w.at, row.Begin))
		}
	}
	w.spend(GPU, by, min(w.at, b.GPU.Begin))
}

// endedBefore returns the command buffer that delayed b: the last one that ended before b began but after b was
// ready. If it ended well before b began, it counts only if it was in the same queue, or if the GPU runs one command
// buffer at a time. It returns nil if nothing delayed b.
func (o *gpuOrder) endedBefore(d *evidence.Device, b *analyze.CommandBuffer, ready,
	began analyze.Nanos) *analyze.CommandBuffer {
	list := o.byEnd[d]
	i := sort.Search(len(list), func(i int) bool { return list[i].End > began })
	for ; i > 0; i-- {
		r := &list[i-1]
		if r.End <= ready {
			return nil
		}
		adjacent := began-r.End <= policy.SignalSlack.Nanos()
		if r.buffer != b && r.Begin < began && (adjacent || o.serial[d] || r.buffer.Queue != nil &&
			r.buffer.Queue == b.Queue) {
			return r.buffer
		}
	}
	return nil
}
