package serial

import (
	"slices"

	"mtrace/analyze"
)

// usualLatency is the median time that the GPU took to begin what was ready when it had nothing else to do; if that was seldom,
// the median time from the end of the work before.
func (a *Analysis) usualLatency() analyze.Nanos {
	var all []analyze.Nanos
	for b, x := range a.released {
		if b.GPU.Known() && b.GPU.Begin > x.at && a.deviceOf(b).all.Within(analyze.Interval{Begin: x.at, End: b.GPU.Begin}) == 0 {
			all = append(all, b.GPU.Begin-x.at)
		}
	}
	if len(all) < enoughIntervals {
		return a.turnaround()
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// turnaround is the median time from when work was ready and the work before it had ended to its beginning.
func (a *Analysis) turnaround() analyze.Nanos {
	var all []analyze.Nanos
	for _, d := range a.deviceOrder {
		ends := make([]analyze.Nanos, 0, len(d.running))
		for _, r := range d.running {
			ends = append(ends, r.End)
		}
		slices.Sort(ends)
		for _, r := range d.running {
			x := a.released[r.buffer]
			if x == nil {
				continue
			}
			from := x.at
			if i, _ := slices.BinarySearch(ends, r.Begin+1); i > 0 {
				from = max(from, ends[i-1])
			}
			all = append(all, max(0, r.Begin-from))
		}
	}
	return median(all)
}

// usualCompletion is the median time from the GPU's end to the completion being seen where the program had no handlers.
func (a *Analysis) usualCompletion() analyze.Nanos {
	var all []analyze.Nanos
	for _, b := range a.Trace.CommandBuffers {
		if b.GPU.Known() && b.Completed.Known() && b.Handlers == 0 {
			all = append(all, max(0, b.Completed.Begin-b.GPU.End))
		}
	}
	if len(all) < enoughBuffers {
		return 20_000
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// medianNotify is the median time from the GPU's end to the return of a wait that began before.
func (p *program) medianNotify() analyze.Nanos {
	var all []analyze.Nanos
	for _, th := range p.threads {
		for i := range th.ops {
			if o := &th.ops[i]; (o.kind == opWait || o.kind == opForeign) && o.notify > 0 {
				all = append(all, o.notify)
			}
		}
	}
	return median(all)
}

// turnaroundBehind is the median time from the end of the work before, of the same queue, to the beginning of work that had long
// been ready; 0 when there is too little of that.
func (a *Analysis) turnaroundBehind(latency analyze.Nanos) analyze.Nanos {
	var all []analyze.Nanos
	for _, d := range a.deviceOrder {
		ends := map[*analyze.Queue]analyze.Nanos{}
		for _, r := range d.running {
			q := r.buffer.Queue
			if x := a.released[r.buffer]; x != nil && x.at+latency < ends[q] && ends[q] <= r.Begin {
				all = append(all, r.Begin-ends[q])
			}
			ends[q] = max(ends[q], r.End)
		}
	}
	if len(all) < enoughBehind {
		return 0
	}
	return median(all)
}
