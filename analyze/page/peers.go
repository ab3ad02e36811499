package page

import (
	"sort"

	"mtrace/analyze"
)

// peers completes each block in which a thread waits for a lock or a signal: it adds the lock's name, and the thread
// that held the lock or sent the signal. Call created the blocks without this information, because the Builder
// receives a slice (time range of the run), which has it, only after all calls of that slice.
func (b *Builder) peers(t *analyze.Trace) {
	for i := range t.CPUWaits.Locks {
		w := &t.CPUWaits.Locks[i]
		if on, by := b.ends(&w.Call, w.Holder, w.Name); on != nil {
			on.peer(&w.Call, uint8(analyze.PartLock), by, w.Selector, lockTitle(w))
		}
	}
	for i := range t.CPUWaits.Signals {
		w := &t.CPUWaits.Signals[i]
		if on, by := b.ends(&w.Call, w.Signaller, w.Name); on != nil {
			on.peer(&w.Call, kindSignal, by, w.Selector, w.Name)
		}
	}
}

// ShortestWait returns the duration from which the timeline shows single waits of a thread for locks and signals. It
// can be used as analyze.Options.ShortestWait.
func (b *Builder) ShortestWait(of *analyze.Thread) analyze.Nanos {
	if t := b.threads[of]; t != nil {
		return t.calls.cell
	}
	return 0
}

// ends returns the thread that made a waiting call, and the number of the thread `by` for which it waited (0 for nil).
// It returns nil if the timeline shows nothing more of the call: neither `by` nor the awaited object is known, or the
// call is shorter than a cell, as most calls of a long run are.
func (b *Builder) ends(call *analyze.Call, by *analyze.Thread, object string) (on *thread, number int) {
	if call.Thread == nil || by == nil && object == "" {
		return nil, 0
	}
	on = b.thread(call.Thread)
	if by != nil {
		number = b.thread(by).number
	}
	if call.Length() < on.calls.cell {
		return nil, 0
	}
	return on, number
}

// peer completes the timeline's blocks (colored intervals) of a waiting call: it adds the awaited object's name, and
// the number of the thread that held the lock or sent the signal. Nested calls divide a call into several blocks, so
// peer changes all blocks of that kind and name during the call.
func (t *thread) peer(call *analyze.Call, kind uint8, by int, selector, object string) {
	within := func(count int, at func(int) *block) {
		first := sort.Search(count, func(i int) bool { return at(i).Begin >= call.Begin })
		for i := first; i < count && at(i).Begin < call.End; i++ {
			if x := at(i); x.kind == kind && x.name == selector {
				x.by = by
				if object != "" {
					x.name += ": " + object
				}
			}
		}
	}
	within(len(t.flat.pending), func(i int) *block { return &t.flat.pending[i].block })
	within(len(t.calls.blocks), func(i int) *block { return &t.calls.blocks[i] })
}

// lockTitle is the name of the lock in the timeline; "" if it has none.
func lockTitle(w *analyze.LockWait) string {
	if w.OfInterpreter() || w.OfPython() {
		return analyze.LockTitle(w.Name)
	}
	return w.Name
}
