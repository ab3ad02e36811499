package evidence

import "mtrace/analyze"

// A Piece is a part of a wait.
type Piece struct {
	Part analyze.Part
	analyze.Nanos
}

// Split divides a wait into pieces, as docs/vocabulary.md defines them. A wait for another thread's work is foreign as
// a whole. A wait for the thread's own work is queued until the work begins on the GPU, then executing, then notify.
// Queued time is behind the thread's own work, behind other threads' work, or behind nothing, which is scheduling. If
// the work never began, or if it is not known what the wait is for, the wait is queued to its end. The pieces add up to
// the wait.
func (g *GPUWork) Split(w *analyze.Wait) []Piece {
	var room [5]Piece // on the caller's stack, because this function is inlined there
	return g.split(w, room[:0])
}

func (g *GPUWork) split(w *analyze.Wait, pieces []Piece) []Piece {
	if ForOthers(g.trace, w) {
		return append(pieces, Piece{analyze.PartWaitForeign, w.Length()})
	}
	b, queued := g.trace.WaitsFor(w), g.queued(w)
	if b != nil && b.GPU.Known() {
		end := min(max(b.GPU.End, queued.End), w.End)
		pieces = append(pieces, Piece{analyze.PartWaitExecuting, end - queued.End},
			Piece{analyze.PartWaitNotify, w.End - end})
	}
	d := g.Of(b)
	own := d.byThread[w.Thread].Within(queued)
	busy := d.any.Within(queued)
	return append(pieces, Piece{analyze.PartWaitQueuedOwn, own}, Piece{analyze.PartWaitQueuedOther, busy - own},
		Piece{analyze.PartWaitScheduling, queued.Length() - busy})
}

// A Placed is a piece of a wait with its interval.
type Placed struct {
	Part analyze.Part
	analyze.Interval
}

// Place divides a wait as Split does, into pieces in order of time. Queued time may consist of many pieces.
func (g *GPUWork) Place(w *analyze.Wait) (placed []Placed) {
	add := func(part analyze.Part) func(analyze.Interval) {
		return func(i analyze.Interval) {
			if i.Length() > 0 {
				placed = append(placed, Placed{part, i})
			}
		}
	}
	if ForOthers(g.trace, w) {
		add(analyze.PartWaitForeign)(w.Interval)
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

// queued returns the part of a wait before the GPU began the command buffer.
func (g *GPUWork) queued(w *analyze.Wait) analyze.Interval {
	if b := g.trace.WaitsFor(w); b != nil && b.GPU.Known() {
		return analyze.Interval{Begin: w.Begin, End: min(max(b.GPU.Begin, w.Begin), w.End)}
	}
	return w.Interval
}

// Awaited returns the thread whose work a wait is for: the one that committed the command buffer, or that signaled the
// event. It is nil if that is not known.
func Awaited(t *analyze.Trace, w *analyze.Wait) *analyze.Thread {
	if b := t.WaitsFor(w); b != nil {
		return b.Committed.Thread
	}
	return w.Signaled
}

// ForOthers reports whether a wait is known to be for another thread's work.
func ForOthers(t *analyze.Trace, w *analyze.Wait) bool {
	from := Awaited(t, w)
	return from != nil && from != w.Thread
}
