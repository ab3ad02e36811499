package page

import (
	"sort"

	"mtrace/analyze"
)

// peers adds the lock, and the lock's holder or the signalling thread, to the blocks of threads that wait for a lock or
// a signal. The model knows them only after all calls were added.
func (b *Builder) peers(t *analyze.Trace) {
	for i := range t.CPUWaits.Locks {
		w := &t.CPUWaits.Locks[i]
		b.peer(&w.Call, uint8(analyze.PartLock), w.Holder, w.Selector, w.Name)
	}
	for i := range t.CPUWaits.Signals {
		w := &t.CPUWaits.Signals[i]
		b.peer(&w.Call, kindSignal, w.Signaller, w.Selector, w.Name)
	}
}

// peer sets the peer of the blocks that a call was converted to.
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
