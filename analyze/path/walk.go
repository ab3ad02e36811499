package path

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
)

// A walker is the state of the walk back along the critical path.
type walker struct {
	Evidence *evidence.Evidence
	blocks   map[*analyze.Thread][]block
	parts    map[Part]analyze.Nanos // by part, with its Time set to 0
	gpu      gpuOrder
	slots    map[*analyze.Queue][]completed
	taken    map[evidence.LockKey][]taken // in order of time
	at       analyze.Nanos
	steps    int

	holding bool // the thread holds, at the current instant, a lock that another one waited for
}

type completed struct {
	at     analyze.Nanos
	buffer *analyze.CommandBuffer
}

// A taken records when a thread acquired a lock that it had waited for.
type taken struct {
	at     analyze.Nanos
	thread *analyze.Thread
}

func (w *walker) index() {
	w.slots = map[*analyze.Queue][]completed{}
	w.taken = map[evidence.LockKey][]taken{}
	for i := range w.Evidence.ThreadWaits.Locks {
		l := &w.Evidence.ThreadWaits.Locks[i]
		w.taken[evidence.KeyOf(l)] = append(w.taken[evidence.KeyOf(l)], taken{l.End, l.Thread})
	}
	for _, list := range w.taken {
		slices.SortFunc(list, func(x, y taken) int { return cmp.Compare(x.at, y.at) })
	}
	w.gpu = orderOf(w.Evidence)
	for _, d := range w.Evidence.Work.Devices {
		d.Runs(func(_ analyze.Interval, b *analyze.CommandBuffer) {
			if b.Queue != nil {
				w.slots[b.Queue] = append(w.slots[b.Queue], completed{w.Evidence.Completions.At(b), b})
			}
		})
	}
	for _, list := range w.slots {
		slices.SortFunc(list, func(x, y completed) int { return cmp.Compare(x.at, y.at) })
	}
}

// spend moves the walk back from the current instant to until, and adds the time in between to the part of this kind
// and thread. It does nothing if until is not earlier.
func (w *walker) spend(what string, t *analyze.Thread, until analyze.Nanos) {
	w.steps++
	if until < w.at {
		w.parts[Part{What: what, Thread: t}] += w.at - until
		w.at = until
	}
}

// back walks back in time along thread t to its last wait or compilation. It returns the thread on which the critical
// path continues, for example the lock's previous holder; nil at the beginning of t.
func (w *walker) back(t *analyze.Thread) *analyze.Thread {
	b := lastBlock(w.blocks[t], w.at)
	if b == nil {
		from := w.Evidence.Trace.TimeRange.Begin // at the start of the run, if the thread has no known call
		if t.Active.Length() > 0 {
			from = t.Active.Begin
		}
		w.spend(Program, t, min(w.at, from))
		return nil
	}
	if b.End < w.at {
		what := Program
		if w.holding {
			what = Holding
		}
		w.spend(what, t, b.End)
	}
	w.holding = false
	before := w.at
	next := t
	switch b.kind {
	case blockCompile:
		w.spend(Compile, t, b.Begin)
	case blockDisplay: // the frame decided when the wait ended, no matter what the thread did before the wait
		w.spend(Display, t, b.frame)
	case blockLock:
		if next = w.before(b); next == nil || next == t {
			next = t
			w.spend(Lock, t, b.Begin)
		} else {
			w.steps++ // no time to spend: the thread released the lock at this instant
			w.holding = true
		}
	case blockSignal:
		w.spend(Signal, t, max(b.Begin, min(w.at, b.signal)))
		if next = b.holder; b.signal > b.Begin {
			if of := w.gpu.handledAt(b.holder, b.signal); of != nil { // the signal is a completion notification
				next = w.alongGPU(t, of)
			}
		}
	case blockSlot:
		list := w.slots[b.queue]
		i := sort.Search(len(list), func(i int) bool { return list[i].at > w.at })
		if i > 0 && list[i-1].at > b.Begin {
			next = w.alongGPU(t, list[i-1].buffer)
		} else {
			w.spend(Program, t, b.Begin)
		}
	case blockWait:
		switch buffer := b.buffer; {
		case buffer != nil && buffer.GPU.Known() && buffer.GPU.End > b.Begin:
			next = w.alongGPU(t, buffer)
		case buffer != nil && buffer.GPU.Known():
			w.spend(Notify, t, b.Begin)
		case buffer == nil && b.holder != nil && b.holder != t:
			next = b.holder
			w.steps++
		default:
			w.spend(Unknown, t, b.Begin)
		}
	}
	if next == t && w.at >= before { // the trace does not show what ended the wait: continue at the block's beginning
		w.spend(Unknown, t, min(before-1, b.Begin))
	}
	return next
}

// before returns the thread that held the lock just before block b ended; nil if that is not known. It is the last
// thread that acquired the lock during the block, or else the holder when the wait began.
func (w *walker) before(b *block) *analyze.Thread {
	list := w.taken[b.lock]
	i := sort.Search(len(list), func(i int) bool { return list[i].at >= b.End })
	if i > 0 && list[i-1].at > b.Begin && w.mayHold(list[i-1].thread) {
		return list[i-1].thread
	}
	if b.holder != nil && w.mayHold(b.holder) {
		return b.holder
	}
	return nil
}

// mayHold reports whether thread t may hold a lock at the current instant of the walk. It returns false if t itself
// waits for a lock then: such a wait may end without the lock, for instance by a timeout.
func (w *walker) mayHold(t *analyze.Thread) bool {
	last := lastBlock(w.blocks[t], w.at)
	return last == nil || last.kind != blockLock || last.End < w.at
}
