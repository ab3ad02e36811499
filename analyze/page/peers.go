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
		b.peer(&w.Call, uint8(analyze.PartLock), w.Holder, w.Selector, lockTitle(w))
	}
	for i := range t.CPUWaits.Signals {
		w := &t.CPUWaits.Signals[i]
		b.peer(&w.Call, kindSignal, w.Signaller, w.Selector, w.Name)
	}
}

// peer completes the timeline's blocks (colored intervals) of a waiting call: it adds the awaited object's name, and
// the thread `by` that held the lock or sent the signal. Nested calls divide a call into several blocks, so peer
// changes all blocks of that kind and name during the call.
func (b *Builder) peer(call *analyze.Call, kind uint8, by *analyze.Thread, selector, object string) {
	if call.Thread == nil || by == nil && object == "" {
		return
	}
	t, number := b.thread(call.Thread), 0
	if by != nil {
		number = b.thread(by).number
	}
	within := func(count int, at func(int) *block) {
		first := sort.Search(count, func(i int) bool { return at(i).Begin >= call.Begin })
		for i := first; i < count && at(i).Begin < call.End; i++ {
			if x := at(i); x.kind == kind && x.name == selector {
				x.by = number
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
