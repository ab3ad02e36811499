package evidence

import "mtrace/analyze"

// A WaitPart is the time that one part takes of a wait for GPU work.
type WaitPart struct {
	Part analyze.Part
	analyze.Nanos
}

// Split divides a wait for GPU work into pieces that add up to the wait; docs/terms.md defines them. A wait for
// another thread's work is one piece (cross-thread). A wait for the thread's own work is queued until the GPU begins
// the work, then executing, then notify. The queued time is divided further: the GPU ran the thread's own work, other
// work, or nothing (scheduling). If the work never began, or is not known, the whole wait is queued.
func (g *GPUWork) Split(w *analyze.Wait) []WaitPart {
	var room [5]WaitPart // not on the heap, because Split is inlined into its caller
	return g.split(w, room[:0])
}

func (g *GPUWork) split(w *analyze.Wait, pieces []WaitPart) []WaitPart {
	if ForOtherThread(g.trace, w) {
		return append(pieces, WaitPart{analyze.PartWaitCrossThread, w.Length()})
	}
	b, queued := g.trace.WaitsFor(w), g.queued(w)
	if b != nil && b.GPU.Known() {
		end := min(max(b.GPU.End, queued.End), w.End)
		pieces = append(pieces, WaitPart{analyze.PartWaitExecuting, end - queued.End},
			WaitPart{analyze.PartWaitNotify, w.End - end})
	}
	d := g.Of(b)
	own := d.byThread[w.Thread].LengthWithin(queued)
	busy := d.any.LengthWithin(queued)
	return append(pieces, WaitPart{analyze.PartWaitQueuedOwn, own}, WaitPart{analyze.PartWaitQueuedOther, busy - own},
		WaitPart{analyze.PartWaitScheduling, queued.Length() - busy})
}

// A Placed is a part of a wait with the interval that it takes.
type Placed struct {
	Part analyze.Part
	analyze.Interval
}

// Place divides a wait into the same parts as Split, but with their intervals, in order of time. One part may occur
// several times.
func (g *GPUWork) Place(w *analyze.Wait) (placed []Placed) {
	add := func(part analyze.Part) func(analyze.Interval) {
		return func(i analyze.Interval) {
			if i.Length() > 0 {
				placed = append(placed, Placed{part, i})
			}
		}
	}
	if ForOtherThread(g.trace, w) {
		add(analyze.PartWaitCrossThread)(w.Interval)
		return placed
	}
	b := g.trace.WaitsFor(w)
	queued, d := g.queued(w), g.Of(b)
	own := d.byThread[w.Thread]
	d.any.divide(queued, func(busy analyze.Interval) {
		own.divide(busy, add(analyze.PartWaitQueuedOwn), add(analyze.PartWaitQueuedOther))
	}, add(analyze.PartWaitScheduling))
	if b != nil && b.GPU.Known() {
		end := min(max(b.GPU.End, queued.End), w.End)
		add(analyze.PartWaitExecuting)(analyze.Interval{Begin: queued.End, End: end})
		add(analyze.PartWaitNotify)(analyze.Interval{Begin: end, End: w.End})
	}
	return placed
}

// queued returns the part of a wait before the GPU began the awaited command buffer; the whole wait if that is not
// known.
func (g *GPUWork) queued(w *analyze.Wait) analyze.Interval {
	if b := g.trace.WaitsFor(w); b != nil && b.GPU.Known() {
		return analyze.Interval{Begin: w.Begin, End: min(max(b.GPU.Begin, w.Begin), w.End)}
	}
	return w.Interval
}

// Awaited returns the thread whose work the wait w is for: the thread that committed the awaited command buffer, or
// that signaled the awaited event. It returns nil if that is not known.
func Awaited(t *analyze.Trace, w *analyze.Wait) *analyze.Thread {
	if b := t.WaitsFor(w); b != nil {
		return b.Committed.Thread
	}
	return w.Signaled
}

// ForOtherThread reports whether a wait is known to be for another thread's work, not for the waiting thread's own.
func ForOtherThread(t *analyze.Trace, w *analyze.Wait) bool {
	from := Awaited(t, w)
	return from != nil && from != w.Thread
}
