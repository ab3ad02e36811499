package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Completion is when the program could see that b had completed, at the latest when a wait for it returned; 0 when it is not known.
func (ev *Evidence) Completion(b *analyze.CommandBuffer) analyze.Nanos {
	switch {
	case b.Completed.Known():
		return b.Completed.Begin
	case b.GPU.Known():
		return b.GPU.End
	}
	if at := ev.waitedFor.at(b.Index); at != nil {
		return *at
	}
	return 0
}

// returns finds when the first wait for each command buffer returned.
func (ev *Evidence) returns() {
	ev.waitedFor = nil
	for w := range analyze.Each(ev.Trace.Waits) {
		if b := ev.Trace.WaitsFor(w); b == nil || w.Scheduled || w.Unfinished || b.Completed.Known() {
			continue
		}
		if ev.waitedFor == nil { // there is seldom one
			ev.waitedFor = newColumn[analyze.Nanos](ev.Trace)
		}
		if at := ev.waitedFor.at(w.Buffer); *at == 0 || w.End < *at {
			*at = w.End
		}
	}
}

// lastCompleted is, for each queue, when the last of the command buffers that are known to have completed was committed. Those
// that were committed later were in flight when the trace ended.
func (ev *Evidence) lastCompleted() map[*analyze.Queue]analyze.Nanos {
	last := map[*analyze.Queue]analyze.Nanos{}
	for b := range ev.Trace.Buffers() {
		if b.Committed.Known() && ev.Completion(b) != 0 {
			last[b.Queue] = max(last[b.Queue], b.Committed.Begin)
		}
	}
	return last
}

// Handling is when a queue's completed work waited for the program's completion handlers.
func (ev *Evidence) Handling() map[*analyze.Queue]*Busy {
	usual, _ := ev.UsualCompletion()
	by := map[*analyze.Queue][]analyze.Interval{}
	for b := range ev.Trace.Buffers() {
		if b.Handlers > 0 && b.GPU.Known() && b.Completed.Known() && b.Completed.Begin-b.GPU.End > policy.Wakeup.Nanos() {
			by[b.Queue] = append(by[b.Queue], analyze.Interval{Begin: b.GPU.End + usual, End: b.Completed.Begin})
		}
	}
	return unions(by)
}
