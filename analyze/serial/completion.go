package serial

import "mtrace/analyze"

// completion is when the program could see that b had completed, at the latest when a wait for it returned; 0 when it is not known.
func (a *Analysis) completion(b *analyze.CommandBuffer) analyze.Nanos {
	switch {
	case b.Completed.Known():
		return b.Completed.Begin
	case b.GPU.Known():
		return b.GPU.End
	}
	return a.waitedFor[b]
}

// returns finds when the first wait for each command buffer returned.
func (a *Analysis) returns() {
	a.waitedFor = map[*analyze.CommandBuffer]analyze.Nanos{}
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if w.Buffer == nil || w.Scheduled || w.Unfinished || w.Buffer.Completed.Known() {
			continue
		}
		if at, known := a.waitedFor[w.Buffer]; !known || w.End < at {
			a.waitedFor[w.Buffer] = w.End
		}
	}
}

// lastCompleted is, for each queue, when the last of the command buffers that are known to have completed was committed. Those
// that were committed later were in flight when the trace ended.
func (a *Analysis) lastCompleted() map[*analyze.Queue]analyze.Nanos {
	last := map[*analyze.Queue]analyze.Nanos{}
	for _, b := range a.Trace.CommandBuffers {
		if b.Committed.Known() && a.completion(b) != 0 {
			last[b.Queue] = max(last[b.Queue], b.Committed.Begin)
		}
	}
	return last
}
