package evidence

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// UsualLatency is the median time that the GPU took to begin what was ready when it had nothing else to do; if that was
// seldom, the median time from the end of the work before.
func (ev *Evidence) UsualLatency() analyze.Nanos {
	var all []analyze.Nanos
	for b, x := range ev.Released() {
		if b.GPU.Known() && b.GPU.Begin > x.At &&
			ev.DeviceOf(b).any.Within(analyze.Interval{Begin: x.At, End: b.GPU.Begin}) == 0 {
			all = append(all, b.GPU.Begin-x.At)
		}
	}
	if len(all) < policy.Sample.Count() {
		return ev.turnaround()
	}
	return Median(all)
}

// turnaround is the median time from when work was ready and the work before it had ended to its beginning.
func (ev *Evidence) turnaround() analyze.Nanos {
	var all []analyze.Nanos
	for _, d := range ev.deviceOrder {
		ends := counterOf(intervals(d.running)).ends
		for _, r := range d.running {
			x := ev.ReleaseOf(r.buffer.Index)
			if x == nil {
				continue
			}
			from := x.At
			if i, _ := slices.BinarySearch(ends, r.Begin+1); i > 0 {
				from = max(from, ends[i-1])
			}
			all = append(all, max(0, r.Begin-from))
		}
	}
	return Median(all)
}

// UsualCompletion is the median time from the GPU's end to the completion being seen where the program had no handlers;
// false where it nearly always had, and it is not known.
func (ev *Evidence) UsualCompletion() (usual analyze.Nanos, known bool) {
	var all []analyze.Nanos
	for b := range ev.Trace.Buffers() {
		if b.GPU.Known() && b.Completed.Known() && b.Handlers == 0 {
			all = append(all, max(0, b.Completed.Begin-b.GPU.End))
		}
	}
	if len(all) < policy.Pattern.Count() {
		return policy.UsualCompletion, false
	}
	return Median(all), true
}

// TurnaroundsBehind are the times from the end of what work that had long been ready had to wait for, the work before
// it in its queue or a full device, to its beginning; what took far longer than usual had another reason, and counts as
// that. There are none when there is too little of that.
func (ev *Evidence) TurnaroundsBehind(latency analyze.Nanos) (all []analyze.Nanos) {
	buffers := 0
	for _, d := range ev.deviceOrder {
		full := ev.fullDevice(d).Spans()
		ends := map[*analyze.Queue]analyze.Nanos{}
		for _, r := range d.running {
			buffers++
			q := r.buffer.Queue
			from := ends[q]
			if i := sort.Search(len(full), func(i int) bool { return full[i].End > r.Begin }); i > 0 {
				from = max(from, full[i-1].End)
			}
			if x := ev.ReleaseOf(r.buffer.Index); x != nil && x.At+latency < from && from <= r.Begin {
				all = append(all, r.Begin-from)
			}
			ends[q] = max(ends[q], r.End)
		}
	}
	if len(all) < policy.Pattern.Count() || !policy.AtLeast(policy.Negligible, len(all), buffers) {
		return nil
	}
	most := Scaled(Median(all), 2*policy.Outlier.Value)
	for i, n := range all {
		all[i] = min(n, most)
	}
	return all
}

// Completion is when the program could see that b had completed, at the latest when a wait for it returned; 0 when it
// is not known.
func (ev *Evidence) Completion(b *analyze.CommandBuffer) analyze.Nanos {
	switch {
	case b.Completed.Known():
		return b.Completed.Begin
	case b.GPU.Known():
		return b.GPU.End
	}
	return ev.waitedFor[b.Index]
}

// returns finds when the first wait for each command buffer returned.
func (ev *Evidence) returns() {
	ev.waitedFor = map[analyze.CommandBufferIndex]analyze.Nanos{}
	for w := range analyze.Each(ev.Trace.Waits) {
		if b := ev.Trace.WaitsFor(w); b == nil || w.Scheduled || w.Unfinished || b.Completed.Known() {
			continue
		}
		if at, known := ev.waitedFor[w.Buffer]; !known || w.End < at {
			ev.waitedFor[w.Buffer] = w.End
		}
	}
}

// lastCompleted is, for each queue, when the last of the command buffers that are known to have completed was
// committed. Those that were committed later were in flight when the trace ended.
func (ev *Evidence) lastCompleted() map[*analyze.Queue]analyze.Nanos {
	last := map[*analyze.Queue]analyze.Nanos{}
	for b := range ev.Trace.Buffers() {
		if b.Committed.Known() && ev.Completion(b) != 0 {
			last[b.Queue] = max(last[b.Queue], b.Committed.Begin)
		}
	}
	return last
}

// Handling is when a queue's completed work waited for the program's completion handlers.
func (ev *Evidence) Handling() map[*analyze.Queue]*Busy {
	usual, _ := ev.UsualCompletion()
	by := map[*analyze.Queue][]analyze.Interval{}
	for b := range ev.Trace.Buffers() {
		if b.Handlers > 0 && b.GPU.Known() && b.Completed.Known() && b.Completed.Begin-b.GPU.End > policy.Wakeup.Nanos() {
			by[b.Queue] = append(by[b.Queue], analyze.Interval{Begin: b.GPU.End + usual, End: b.Completed.Begin})
		}
	}
	return unions(by)
}

// Chained is how long completion handlers worked, after the usual completion of their command buffers, before they made
// their thread's next one, and how many did. It counts threads that make nearly all command buffers so, between the
// GPU's end of the one before and the return of its handlers.
func (ev *Evidence) Chained() (worked analyze.Nanos, handlers int) {
	usual, _ := ev.UsualCompletion()
	by := map[*analyze.Thread][]*analyze.CommandBuffer{}
	for b := range ev.Trace.Buffers() {
		if b.Created.Known() && b.Created.Thread != nil && b.GPU.Known() && b.Completed.Known() {
			by[b.Created.Thread] = append(by[b.Created.Thread], b)
		}
	}
	for _, list := range by {
		slices.SortStableFunc(list, func(x, y *analyze.CommandBuffer) int {
			return cmp.Compare(x.Created.Begin,
				y.Created.Begin)
		})
		n, took := 0, analyze.Nanos(0)
		for i := 1; i < len(list); i++ {
			b, made := list[i-1], list[i].Created.Begin
			if b.Handlers > 0 && b.GPU.End <= made && made <= b.Completed.Begin {
				n++
				took += max(0, made-b.GPU.End-usual)
			}
		}
		if len(list) >= policy.Sample.Count() && policy.NearlyAll(n, len(list)-1) {
			worked, handlers = worked+took, handlers+n
		}
	}
	return worked, handlers
}

// HandlersOneByOne are the times that completion handlers of the program took at most, where they ran right behind
// those of the command buffer before in their queue: a queue completes one command buffer after the other, so none of
// that time is the delay of a notification.
func (ev *Evidence) HandlersOneByOne() (all []analyze.Nanos) {
	by := map[*analyze.Queue][]*analyze.CommandBuffer{}
	for b := range ev.Trace.Buffers() {
		if b.GPU.Known() && b.Completed.Known() {
			by[b.Queue] = append(by[b.Queue], b)
		}
	}
	for _, list := range by {
		slices.SortStableFunc(list, func(x, y *analyze.CommandBuffer) int {
			return cmp.Compare(x.Completed.Begin,
				y.Completed.Begin)
		})
		for i := 1; i < len(list); i++ {
			if b, before := list[i], list[i-1].Completed.End; b.Handlers > 0 && b.GPU.End <= before {
				all = append(all, max(0, b.Completed.Begin-before))
			}
		}
	}
	return all
}
