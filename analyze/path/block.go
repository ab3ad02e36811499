package path

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
)

// blockKind is the reason why a thread made no progress during a block (a time in which it waited or compiled).
type blockKind uint8

const (
	blockWait    blockKind = iota // the thread waited for a command buffer
	blockLock                     // the thread waited for a lock
	blockSlot                     // the thread waited for a free slot in a queue, to create a command buffer
	blockSignal                   // the thread waited for another thread's signal
	blockDisplay                  // the thread waited for the display
	blockCompile                  // the thread compiled, which the path lists separately
)

// A block is a time in which a thread waited or compiled. The critical path may continue on another thread or on the
// GPU.
type block struct {
	analyze.Interval
	kind   blockKind
	buffer *analyze.CommandBuffer // the awaited command buffer; nil if not known
	// The thread that another thread waited for: the lock's holder when the wait began, the thread that sent the
	// signal, or the thread that committed the awaited command buffer.
	holder *analyze.Thread
	signal analyze.Nanos // when holder sent the signal
	handed bool          // the signal reports that holder has done work that this thread had passed to it
	lock   evidence.LockKey
	queue  *analyze.Queue // the queue that was full
	frame  analyze.Nanos  // when the display began to show the frame whose end the thread waited for
}

// blocksOf returns the blocks of each thread, in order of time. Blocks that overlap an earlier one are left out.
func blocksOf(ev *evidence.Evidence) map[*analyze.Thread][]block {
	by := map[*analyze.Thread][]block{}
	// most blocks are waits for command buffers and locks; counted, so that the lists need not grow
	count := map[*analyze.Thread]int{}
	for i := range ev.Trace.Waits {
		count[ev.Trace.Waits[i].Thread]++
	}
	for i := range ev.ThreadWaits.Locks {
		count[ev.ThreadWaits.Locks[i].Thread]++
	}
	for t, n := range count {
		by[t] = make([]block, 0, n)
	}
	for i := range ev.Trace.Waits {
		w := &ev.Trace.Waits[i]
		by[w.Thread] = append(by[w.Thread], block{Interval: w.Interval, kind: blockWait, buffer: ev.Trace.WaitsFor(w),
			holder: evidence.Awaited(ev.Trace, w)})
	}
	for l := range analyze.Each(ev.ThreadWaits.Locks) {
		by[l.Thread] = append(by[l.Thread], block{Interval: l.Interval, kind: blockLock, holder: l.Holder,
			lock: evidence.KeyOf(l)})
	}
	for i := range ev.ThreadWaits.Merged {
		if w := &ev.ThreadWaits.Merged[i]; w.Signaller != nil && w.Signaller != w.Thread && w.Signalled > w.Begin {
			handed := ev.Delegation.Confirmed() && ev.Delegation.Pool[w.Signaller] && !w.AcquirerReleased
			by[w.Thread] = append(by[w.Thread], block{Interval: w.Interval, kind: blockSignal, holder: w.Signaller,
				signal: w.Signalled, handed: handed})
		}
	}
	for _, made := range ev.Queues.Full {
		b := made.Buffer
		by[b.Created.Thread] = append(by[b.Created.Thread], block{Interval: b.Created.Interval, kind: blockSlot,
			queue: b.Queue})
	}
	for t, pace := range ev.Execution.Display {
		for _, c := range pace.Calls {
			if !c.Display {
				continue
			}
			frame := max(c.End-pace.Frame, c.Before)
			if c.Before > c.End-pace.Frame-pace.Frame/2 { // frames differ a little
				frame = c.Before
			}
			by[t] = append(by[t], block{Interval: c.Interval, kind: blockDisplay, frame: min(frame, c.Begin)})
		}
	}
	addDrawables(ev, by)
	for _, c := range ev.Trace.Compilations {
		by[c.Thread] = append(by[c.Thread], block{Interval: c.Interval, kind: blockCompile})
	}
	for t, list := range by {
		slices.SortStableFunc(list, func(x, y block) int { return cmp.Compare(x.Begin, y.Begin) })
		kept := list[:0]
		for _, b := range list {
			if b.Length() > 0 && (len(kept) == 0 || b.Begin >= kept[len(kept)-1].End) {
				kept = append(kept, b)
			}
		}
		by[t] = kept
	}
	return by
}

// addDrawables adds the calls of nextDrawable that end when the GPU has completed one of the thread's frames. It leaves
// out threads that the display paces.
func addDrawables(ev *evidence.Evidence, by map[*analyze.Thread][]block) {
	if len(ev.Trace.CPUWaits.Drawables) == 0 {
		return
	}
	work := map[*analyze.Thread][]*analyze.CommandBuffer{} // sorted by GPU end
	for b := range ev.Trace.Buffers() {
		if b.GPU.Known() {
			work[b.Committed.Thread] = append(work[b.Committed.Thread], b)
		}
	}
	for _, list := range work {
		slices.SortFunc(list, func(x, y *analyze.CommandBuffer) int { return cmp.Compare(x.GPU.End, y.GPU.End) })
	}
	for c := range analyze.Each(ev.Trace.CPUWaits.Drawables) {
		list := work[c.Thread]
		i := sort.Search(len(list), func(i int) bool { return list[i].GPU.End > c.End })
		if i > 0 && list[i-1].GPU.End > c.Begin && ev.Execution.Display[c.Thread] == nil {
			by[c.Thread] = append(by[c.Thread], block{Interval: c.Interval, kind: blockWait, buffer: list[i-1]})
		}
	}
}

// lastBlock returns the last block of a list that began before `t`; nil if there is none.
func lastBlock(list []block, t analyze.Nanos) *block {
	i := sort.Search(len(list), func(i int) bool { return list[i].Begin >= t })
	if i == 0 {
		return nil
	}
	return &list[i-1]
}
