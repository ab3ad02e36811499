package evidence

import "mtrace/analyze"

// A Piece is a part of a wait.
type Piece struct {
	Part analyze.Part
	analyze.Nanos
}

// Split divides a wait as docs/vocabulary.md defines it: a wait for another thread's work is foreign as a whole; a wait
// for the thread's own work is queued until the work began on the GPU, then executing, then notify. It is queued behind
// the thread's own work, behind that of others, or behind nothing, which is scheduling. Work that never began is queued
// to the end, and so is a wait of which it is not known what it waits for. The pieces add up to the wait.
func (ev *Evidence) Split(w *analyze.Wait) []Piece {
	var room [5]Piece // of the caller, in which this is inlined
	return ev.split(w, room[:0])
}

func (ev *Evidence) split(w *analyze.Wait, pieces []Piece) []Piece {
	if ev.ForOthers(w) {
		return append(pieces, Piece{analyze.PartWaitForeign, w.Length()})
	}
	b, queued := ev.Trace.WaitsFor(w), ev.queuedPart(w)
	if b != nil && b.GPU.Known() {
		end := min(max(b.GPU.End, queued.End), w.End)
		pieces = append(pieces, Piece{analyze.PartWaitExecuting, end - queued.End},
			Piece{analyze.PartWaitNotify, w.End - end})
	}
	d := ev.DeviceOf(b)
	own := d.byThread[w.Thread].Within(queued)
	busy := d.any.Within(queued)
	return append(pieces, Piece{analyze.PartWaitQueuedOwn, own}, Piece{analyze.PartWaitQueuedOther, busy - own},
		Piece{analyze.PartWaitScheduling, queued.Length() - busy})
}

// A Placed is a part of a wait, and when it was.
type Placed struct {
	Part analyze.Part
	analyze.Interval
}

// Place divides a wait as Split does, in the order of time. What was queued may have many parts.
func (ev *Evidence) Place(w *analyze.Wait) (placed []Placed) {
	add := func(part analyze.Part) func(analyze.Interval) {
		return func(i analyze.Interval) {
			if i.Length() > 0 {
				placed = append(placed, Placed{part, i})
			}
		}
	}
	if ev.ForOthers(w) {
		add(analyze.PartWaitForeign)(w.Interval)
		return placed
	}
	b := ev.Trace.WaitsFor(w)
	queued, d := ev.queuedPart(w), ev.DeviceOf(b)
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

// queuedPart is the part of a wait before the GPU began what is waited for.
func (ev *Evidence) queuedPart(w *analyze.Wait) analyze.Interval {
	if b := ev.Trace.WaitsFor(w); b != nil && b.GPU.Known() {
		return analyze.Interval{Begin: w.Begin, End: min(max(b.GPU.Begin, w.Begin), w.End)}
	}
	return w.Interval
}

// Awaited is the thread whose work a wait is for: who committed the command buffer or gave the event its value; nil
// when that is not known.
func (ev *Evidence) Awaited(w *analyze.Wait) *analyze.Thread {
	if b := ev.Trace.WaitsFor(w); b != nil {
		return b.Committed.Thread
	}
	return w.Signaled
}

// ForOthers says whether a wait is known to be for another thread's work.
func (ev *Evidence) ForOthers(w *analyze.Wait) bool {
	from := ev.Awaited(w)
	return from != nil && from != w.Thread
}
