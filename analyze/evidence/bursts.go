package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Bursts are series of command buffers that a thread submits with nothing but waits for command buffers in between.
// The thread could encode a burst into one command buffer, which saves launches without any other change of the
// program.
type Bursts struct {
	sizes []int32 // size of each command buffer's burst, by index of the command buffer
	Usual int     // size of the burst that the median command buffer is in
}

// FindBursts finds the bursts of each thread. A size is at most policy.MergedLaunches, because the replay never merges
// more command buffers into one.
func FindBursts(trace *analyze.Trace) (u Bursts) {
	type item struct {
		analyze.Interval
		of analyze.CommandBufferIndex // NoCommandBuffer for a wait
	}
	by := map[*analyze.Thread][]item{}
	for b := range trace.Buffers() {
		if t := b.Committed.Thread; t != nil && t == b.Created.Thread && b.Created.Known() && b.Committed.Known() {
			by[t] = append(by[t], item{analyze.Interval{Begin: b.Created.Begin, End: b.Committed.End}, b.Index})
		}
	}
	for w := range analyze.Each(trace.Waits) {
		if by[w.Thread] != nil {
			by[w.Thread] = append(by[w.Thread], item{w.Interval, analyze.NoCommandBuffer})
		}
	}
	u.sizes = make([]int32, trace.IndexCount())
	var all []int32
	for _, list := range by {
		slices.SortFunc(list, func(x, y item) int { return cmp.Compare(x.Begin, y.Begin) })
		var burst []analyze.CommandBufferIndex
		end := list[0].Begin
		finish := func() {
			for _, i := range burst {
				u.sizes[i] = int32(min(len(burst), policy.MergedLaunches))
				all = append(all, u.sizes[i])
			}
			burst = burst[:0]
		}
		for _, x := range list {
			if x.Begin-end > policy.LongestWakeup.Nanos() {
				finish()
			}
			if end = max(end, x.End); x.of != analyze.NoCommandBuffer {
				burst = append(burst, x.of)
			}
		}
		finish()
	}
	slices.Sort(all)
	if u.Usual = 1; len(all) > 0 {
		u.Usual = int(all[len(all)/2])
	}
	return u
}

// Size returns the number of command buffers in the burst of command buffer i; 1 if the command buffer is in no
// burst.
func (u *Bursts) Size(i analyze.CommandBufferIndex) int { return max(1, int(u.sizes[i])) }
