package serial

import (
	"slices"
	"sort"

	"mtrace/analyze"
)

// usualLatency is the median time that the GPU took to begin what was ready when it had nothing else to do; if that was seldom,
// the median time from the end of the work before.
func (a *Analysis) usualLatency() analyze.Nanos {
	var all []analyze.Nanos
	for b, x := range a.released {
		if b.GPU.Known() && b.GPU.Begin > x.at && a.deviceOf(b).any.Within(analyze.Interval{Begin: x.at, End: b.GPU.Begin}) == 0 {
			all = append(all, b.GPU.Begin-x.at)
		}
	}
	if len(all) < enoughIntervals {
		return a.turnaround()
	}
	return median(all)
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
	return median(all)
}

// findUsual finds what hand-overs usually take, and the quickest: from ready to begun, and from the GPU's end to the return of a wait
// that began before, without the program's handlers. What causes let go at once, or hold up in the framework too, wants processors at once,
// and takes longer than usual; no more of that is taken to be for their sake than threads waited for processors.
func (p *program) findUsual() {
	var latencies, notifies []analyze.Nanos
	for i := range p.jobs {
		latencies = append(latencies, p.jobs[i].latency)
	}
	for _, th := range p.threads {
		for i := range th.ops {
			if o := &th.ops[i]; (o.kind == opWait || o.kind == opForeign) && o.notify > 0 {
				notifies = append(notifies, max(0, o.notify-p.jobs[o.job].handlers))
			}
		}
	}
	p.usualLatency, p.usualNotify = median(latencies), median(notifies)
	p.quickLatency = quickest(latencies, 10)
	p.quickNotify = min(quickest(notifies, 10), max(quickest(notifies, 100), p.framework))
	var more analyze.Nanos
	for _, n := range latencies {
		more += max(0, n-p.usualLatency)
	}
	for _, n := range notifies {
		more += max(0, n-p.usualNotify)
	}
	if more > 0 {
		p.hindered = min(1, share(p.waitedFor, more))
	}
}

// unhindered is what a hand-over takes that finds a processor as soon as usual. What it waits for one without the cause the replay adds.
func (p *program) unhindered(n, usual analyze.Nanos) analyze.Nanos {
	return n - scaled(max(0, n-usual), p.hindered)
}

// turnaroundBehind is the mean time from the end of what work that had long been ready had to wait for, the work before it in its
// queue or a full device, to its beginning; what took ten times as long as usual had another reason, and counts as that. It is 0 when
// there is too little of that.
func (a *Analysis) turnaroundBehind(latency analyze.Nanos) analyze.Nanos {
	var all []analyze.Nanos
	buffers := 0
	for _, d := range a.deviceOrder {
		full := a.fullDevice(d).Spans()
		ends := map[*analyze.Queue]analyze.Nanos{}
		for _, r := range d.running {
			buffers++
			q := r.buffer.Queue
			from := ends[q]
			if i := sort.Search(len(full), func(i int) bool { return full[i].End > r.Begin }); i > 0 {
				from = max(from, full[i-1].End)
			}
			if x := a.released[r.buffer]; x != nil && x.at+latency < from && from <= r.Begin {
				all = append(all, r.Begin-from)
			}
			ends[q] = max(ends[q], r.End)
		}
	}
	if len(all) < enoughBehind || len(all)*50 < buffers {
		return 0
	}
	most, sum := 10*median(all), analyze.Nanos(0)
	for _, n := range all {
		sum += min(n, most)
	}
	return sum / analyze.Nanos(len(all))
}
