package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// interrupted finds the time in which command buffers stood still on the GPU: beyond what those with the same work usually take.
// It says another program had the GPU only where other evidence of that is in the trace, for work may depend on its data.
func (a *Analysis) interrupted() map[*analyze.CommandBuffer]analyze.Interval {
	by := map[uint64][]*analyze.CommandBuffer{}
	for _, b := range a.Trace.CommandBuffers {
		if work, known := b.Work(); known && b.GPU.Known() {
			by[work] = append(by[work], b)
		}
	}
	found := map[*analyze.CommandBuffer]analyze.Interval{}
	for _, same := range by {
		if len(same) < policy.Pattern.Count() {
			continue
		}
		var lengths []analyze.Nanos
		for _, b := range same {
			lengths = append(lengths, b.GPU.Length())
		}
		usual := median(lengths)
		for _, b := range same {
			if took := b.GPU.Length(); took > scaled(usual, policy.Outlier.Value) && took-usual > policy.Launch.Nanos() {
				found[b] = analyze.Interval{Begin: b.GPU.Begin + usual, End: b.GPU.End}
			}
		}
	}
	return found
}

// interruptions is what command buffers that were interrupted cost.
type interruptions struct {
	itself, behind analyze.Nanos // thread time in waits for them, and for work that was behind them
	busiest        analyze.Nanos // of the busiest device's busy time
}

func (a *Analysis) interruptionsBy(interrupted map[*analyze.CommandBuffer]analyze.Interval, busiest *analyze.Device) (cost interruptions) {
	by := map[*device]*Busy{}
	for d, list := range a.onDevices(interrupted) {
		by[d] = NewBusy(list)
	}
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		cost.itself += overlap(interrupted[w.Buffer], w.Interval)
		cost.behind += by[a.deviceOf(w.Buffer)].Within(queuedPart(w))
	}
	cost.busiest = by[a.devices[busiest]].Total()
	return cost
}

func (a *Analysis) onDevices(intervals map[*analyze.CommandBuffer]analyze.Interval) map[*device][]analyze.Interval {
	lists := map[*device][]analyze.Interval{}
	for b, i := range intervals {
		lists[a.deviceOf(b)] = append(lists[a.deviceOf(b)], i)
	}
	return lists
}
