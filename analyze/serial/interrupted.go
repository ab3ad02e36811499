package serial

import (
	"fmt"
	"strings"

	"mtrace/analyze"
)

// stretched is how many times as long as usual a command buffer must take to be called interrupted. A GPU that runs others of the program's
// beside it, or that changes its clock, makes it two or three times as long.
const stretched = 4

// interrupted finds the time in which command buffers stood still on the GPU: beyond what those with the same work usually take.
// It says another program had the GPU only where other evidence of that is in the trace, for work may depend on its data.
func (a *Analysis) interrupted() map[*analyze.CommandBuffer]analyze.Interval {
	by := map[string][]*analyze.CommandBuffer{}
	for _, b := range a.Trace.CommandBuffers {
		if work := workOf(b); work != "" && b.GPU.Known() {
			by[work] = append(by[work], b)
		}
	}
	found := map[*analyze.CommandBuffer]analyze.Interval{}
	for _, same := range by {
		if len(same) < enoughBuffers {
			continue
		}
		var lengths []analyze.Nanos
		for _, b := range same {
			lengths = append(lengths, b.GPU.Length())
		}
		usual := median(lengths)
		for _, b := range same {
			if took := b.GPU.Length(); took > stretched*usual && took-usual > longLaunch {
				found[b] = analyze.Interval{Begin: b.GPU.Begin + usual, End: b.GPU.End}
			}
		}
	}
	return found
}

// workOf names the work of a command buffer: what it dispatches, over how many threads, and the bytes it copies. It is empty when
// that is not known.
func workOf(b *analyze.CommandBuffer) string {
	var s strings.Builder
	for i := range b.Encoders {
		e := &b.Encoders[i]
		fmt.Fprintf(&s, "%d %d;", e.Kind, e.CopyBytes)
		for _, d := range e.Dispatches {
			if d.Pipeline == nil {
				return ""
			}
			fmt.Fprintf(&s, "%d %d %d;", d.Pipeline.ID, d.Count, d.Threads)
		}
	}
	return s.String()
}

// standstill is, for each device, when one of its command buffers was interrupted.
func (a *Analysis) standstill(interrupted map[*analyze.CommandBuffer]analyze.Interval) map[*device]*Busy {
	lists := map[*device][]analyze.Interval{}
	for b, i := range interrupted {
		lists[a.deviceOf(b)] = append(lists[a.deviceOf(b)], i)
	}
	by := map[*device]*Busy{}
	for d, list := range lists {
		by[d] = NewBusy(list)
	}
	return by
}
