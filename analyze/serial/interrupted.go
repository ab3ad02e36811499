package serial

import "mtrace/analyze"

// stretched is how many times as long as usual a command buffer must take to be called interrupted. A GPU that runs others of the program's
// beside it, or that changes its clock, makes it two or three times as long.
const stretched = 4

// interrupted finds the time in which command buffers stood still on the GPU: beyond what those with the same work usually take.
// It says another program had the GPU only where other evidence of that is in the trace, for work may depend on its data.
func (a *Analysis) interrupted() map[*analyze.CommandBuffer]analyze.Interval {
	by := map[uint64][]*analyze.CommandBuffer{}
	for _, b := range a.Trace.CommandBuffers {
		if work := workOf(b); work != 0 && b.GPU.Known() {
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

// workOf is a hash of the work of a command buffer: what it dispatches, over how many threads, and the bytes it copies; 0 when that is
// not known.
func workOf(b *analyze.CommandBuffer) (hash uint64) {
	add := func(x uint64) { // FNV-1a, by words
		hash = (hash ^ x) * 0x100000001b3
	}
	for i := range b.Encoders {
		e := &b.Encoders[i]
		add(uint64(e.Kind) + 1)
		add(e.CopyBytes)
		for _, d := range e.Dispatches {
			if d.Pipeline == nil {
				return 0
			}
			add(uint64(d.Pipeline.ID))
			add(uint64(d.Count))
			add(d.Threads)
		}
	}
	return hash
}

// interruptions is the thread time in waits for work that was interrupted, and for work that was behind such work.
func (a *Analysis) interruptions(f *facts, interrupted map[*analyze.CommandBuffer]analyze.Interval) (itself, behind analyze.Nanos) {
	by := map[*device]*Busy{}
	for d, list := range a.onDevices(interrupted) {
		by[d] = NewBusy(list)
	}
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		itself += overlap(interrupted[w.Buffer], w.Interval)
		behind += by[a.deviceOf(w.Buffer)].Within(queuedPart(w))
	}
	f.interrupted, f.behindInterrupted = by[a.devices[f.busiest.Device]].Total(), behind
	return itself, behind
}

func (a *Analysis) onDevices(intervals map[*analyze.CommandBuffer]analyze.Interval) map[*device][]analyze.Interval {
	lists := map[*device][]analyze.Interval{}
	for b, i := range intervals {
		lists[a.deviceOf(b)] = append(lists[a.deviceOf(b)], i)
	}
	return lists
}
