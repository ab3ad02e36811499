package insight

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// slowAfterIdle finds work that takes longer whenever the GPU was idle before it, because GPUs lower their clock when
// idle.
func slowAfterIdle(in *Input) *Insight {
	before := idleBefore(in.Trace)
	var slow []analyze.Nanos
	var cost analyze.Nanos
	var where sites
	ratio, rest, usual := 0.0, analyze.Nanos(0), analyze.Nanos(0)
	for _, s := range in.series() {
		var rested, busy []analyze.Nanos
		for i := range s.list {
			switch idle := before[s.list[i].buffer.Index]; {
			case i < policy.MostWarmUpIterations/policy.IdleWarmUpDivisor: // another insight covers first iterations
			case idle >= policy.LongIdle:
				rested = append(rested, s.list[i].gpu)
			case idle < policy.LongestDirectGap:
				busy = append(busy, s.list[i].gpu)
			}
		}
		if len(rested) < policy.FewestOccurrences.Count() || len(busy) < policy.FewestOccurrences.Count() {
			continue
		}
		slices.Sort(rested)
		slices.Sort(busy)
		// outliers must not count: compare the lower quartile after idle time with the upper quartile without
		long, short := rested[len(rested)/4], busy[len(busy)*3/4]
		if float64(long) < policy.SlowerAfterIdle*float64(short) {
			continue
		}
		middle := busy[len(busy)/2]
		if r := float64(rested[len(rested)/2]) / float64(max(1, middle)); r > ratio {
			ratio, usual, rest = r, middle, rested[len(rested)/2]
		}
		for i := range s.list {
			if b := s.list[i].buffer; before[b.Index] >= policy.LongIdle && s.list[i].gpu > middle {
				slow = append(slow, s.list[i].gpu)
				cost += s.list[i].gpu - middle
				where.add(&b.Committed, "commit", name(b), 1, s.list[i].gpu-middle, 0)
			}
		}
	}
	if len(slow) == 0 {
		return nil
	}
	return &Insight{Severity: Info, Cost: cost, Where: where.most(),
		Evidence: fmt.Sprintf(
			"after the GPU was idle for %v or longer the same work took up to %.1f times as long, %v instead of %v: "+
				"%s, %v longer together; "+
				"a GPU clocks down when it is idle", policy.LongIdle, ratio, rest, usual, analyze.Plural(len(slow),
				"command buffer"), cost)}
}

// idleBefore returns, by command buffer index, how long the GPU had been idle when the command buffer began.
func idleBefore(t *analyze.Trace) []analyze.Nanos {
	idle := make([]analyze.Nanos, t.IndexCount())
	var list []*analyze.CommandBuffer
	for b := range t.Buffers() {
		if b.GPU.Known() && b.Queue != nil {
			list = append(list, b)
		}
	}
	slices.SortFunc(list, func(a, b *analyze.CommandBuffer) int { return cmp.Compare(a.GPU.Begin, b.GPU.Begin) })
	ended := map[*analyze.Device]analyze.Nanos{}
	for _, b := range list {
		if last, known := ended[b.Queue.Device]; known {
			idle[b.Index] = max(0, b.GPU.Begin-last)
		}
		ended[b.Queue.Device] = max(ended[b.Queue.Device], b.GPU.End)
	}
	return idle
}
