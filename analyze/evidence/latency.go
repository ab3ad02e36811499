package evidence

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// UsualLatency returns the median time that an idle GPU takes to begin ready work. If the GPU was seldom idle, it
// uses work that had to wait for the previous work (turnaround).
func UsualLatency(work *GPUWork, releases *Releases) analyze.Nanos {
	var all []analyze.Nanos
	for b, x := range releases.All() {
		if b.GPU.Known() && b.GPU.Begin > x.At &&
			work.Of(b).any.LengthWithin(analyze.Interval{Begin: x.At, End: b.GPU.Begin}) == 0 {
			all = append(all, b.GPU.Begin-x.At)
		}
	}
	if len(all) < policy.FewestSamples.Count() {
		return turnaround(work, releases)
	}
	return Median(all)
}

// turnaround returns the median time that work takes to begin after it is ready and the previous work on the GPU has
// ended.
func turnaround(work *GPUWork, releases *Releases) analyze.Nanos {
	var all []analyze.Nanos
	for _, d := range work.Devices {
		ends := counterOf(intervals(d.running)).ends
		for _, r := range d.running {
			x := releases.ReleaseOf(r.buffer.Index)
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
