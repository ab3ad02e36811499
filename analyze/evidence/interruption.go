package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// interrupted finds the time in which command buffers stood still on the GPU: beyond what those with the same work usually take.
// It says another program had the GPU only where other evidence of that is in the trace, for work may depend on its data.
func (ev *Evidence) interrupted() map[analyze.CommandBufferIndex]analyze.Interval {
	by := map[uint64][]*analyze.CommandBuffer{}
	for b := range ev.Trace.Buffers() {
		if work, known := b.Work(); known && b.GPU.Known() {
			by[work] = append(by[work], b)
		}
	}
	found := map[analyze.CommandBufferIndex]analyze.Interval{}
	for _, same := range by {
		if len(same) < policy.Pattern.Count() {
			continue
		}
		var lengths []analyze.Nanos
		for _, b := range same {
			lengths = append(lengths, b.GPU.Length())
		}
		usual := Median(lengths)
		for _, b := range same {
			if took := b.GPU.Length(); took > Scaled(usual, policy.Outlier.Value) && took-usual > policy.Launch.Nanos() {
				found[b.Index] = analyze.Interval{Begin: b.GPU.Begin + usual, End: b.GPU.End}
			}
		}
	}
	return found
}

// interruptions is what command buffers that were interrupted cost.
type interruptions struct {
	Itself, Behind analyze.Nanos // thread time in waits for them, and for work that was behind them
	Busiest        analyze.Nanos // of the busiest device's busy time
}

func (ev *Evidence) interruptionsBy(interrupted map[analyze.CommandBufferIndex]analyze.Interval) (cost interruptions) {
	by := unions(ev.onDevices(interrupted))
	for w := range analyze.Each(ev.Trace.Waits) {
		cost.Itself += overlap(interrupted[w.Buffer], w.Interval)
		cost.Behind += by[ev.DeviceOf(ev.Trace.WaitsFor(w))].Within(ev.queuedPart(w))
	}
	cost.Busiest = by[ev.devices[ev.Busiest.Device]].Total()
	return cost
}

func (ev *Evidence) onDevices(intervals map[analyze.CommandBufferIndex]analyze.Interval) map[*Device][]analyze.Interval {
	lists := map[*Device][]analyze.Interval{}
	for b, i := range intervals {
		d := ev.DeviceOf(ev.Trace.Buffer(b))
		lists[d] = append(lists[d], i)
	}
	return lists
}
