package evidence

import (
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// UsualLatency is the median time that the GPU took to begin what was ready when it had nothing else to do; if that was
// seldom, the median time from the end of the work before.
func UsualLatency(work *GPUWork, releases *Releases) analyze.Nanos {
	var all []analyze.Nanos
	for b, x := range releases.All() {
		if b.GPU.Known() && b.GPU.Begin > x.At &&
			work.Of(b).any.Within(analyze.Interval{Begin: x.At, End: b.GPU.Begin}) == 0 {
			all = append(all, b.GPU.Begin-x.At)
		}
	}
	if len(all) < policy.Sample.Count() {
		return turnaround(work, releases)
	}
	return Median(all)
}

// turnaround is the median time from when work was ready and the work before it had ended to its beginning.
func turnaround(work *GPUWork, releases *Releases) analyze.Nanos {
	var all []analyze.Nanos
	for _, d := range work.Devices {
		ends := counterOf(intervals(d.running)).ends
		for _, r := range d.running {
			x := releases.Of(r.buffer.Index)
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

// TurnaroundsBehind are the times from the end of what work that had long been ready had to wait for, the work before
// it in its queue or a full device, to its beginning; what took far longer than usual had another reason, and counts as
// that. There are none when there is too little of that.
func TurnaroundsBehind(work *GPUWork, releases *Releases, gpu *GPU, latency analyze.Nanos) (all []analyze.Nanos) {
	buffers := 0
	for _, d := range work.Devices {
		full := fullDevice(d, gpu).Spans()
		ends := map[*analyze.Queue]analyze.Nanos{}
		for _, r := range d.running {
			buffers++
			q := r.buffer.Queue
			from := ends[q]
			if i := sort.Search(len(full), func(i int) bool { return full[i].End > r.Begin }); i > 0 {
				from = max(from, full[i-1].End)
			}
			if x := releases.Of(r.buffer.Index); x != nil && x.At+latency < from && from <= r.Begin {
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
