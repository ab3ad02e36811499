package path

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A walker goes back along the path.
type walker struct {
	*evidence.Evidence
	blocks map[*analyze.Thread][]block
	parts  map[Part]analyze.Nanos     // with Time 0
	ends   map[*evidence.Device][]ran // by end
	slots  map[*analyze.Queue][]completed
	taken  map[evidence.LockKey][]taken // by when
	at     analyze.Nanos
	steps  int

	holding bool // the thread had a lock at the present that another waited for
}

// ran is a command buffer's time on a device.
type ran struct {
	analyze.Interval
	buffer *analyze.CommandBuffer
}

type completed struct {
	at     analyze.Nanos
	buffer *analyze.CommandBuffer
}

// taken is when a thread got a lock that it had waited for.
type taken struct {
	at     analyze.Nanos
	thread *analyze.Thread
}

func (w *walker) index() {
	w.ends = map[*evidence.Device][]ran{}
	w.slots = map[*analyze.Queue][]completed{}
	w.taken = map[evidence.LockKey][]taken{}
	for i := range w.Locks {
		l := &w.Locks[i]
		w.taken[evidence.KeyOf(l)] = append(w.taken[evidence.KeyOf(l)], taken{l.End, l.Thread})
	}
	for _, list := range w.taken {
		slices.SortFunc(list, func(x, y taken) int { return cmp.Compare(x.at, y.at) })
	}
	for _, d := range w.Devices() {
		var list []ran
		d.Runs(func(i analyze.Interval, b *analyze.CommandBuffer) { list = append(list, ran{i, b}) })
		slices.SortFunc(list, func(x, y ran) int { return cmp.Compare(x.End, y.End) })
		w.ends[d] = list
		for _, r := range list {
			if q := r.buffer.Queue; q != nil {
				w.slots[q] = append(w.slots[q], completed{w.Completion(r.buffer), r.buffer})
			}
		}
	}
	for _, list := range w.slots {
		slices.SortFunc(list, func(x, y completed) int { return cmp.Compare(x.at, y.at) })
	}
}

// spend gives the time from until to the present to a part, and goes back to until.
func (w *walker) spend(what string, t *analyze.Thread, until analyze.Nanos) {
	w.steps++
	if until < w.at {
		w.parts[Part{What: what, Thread: t}] += w.at - until
		w.at = until
	}
}

// back goes back from the present along a thread to whatever it had to wait for, and returns the thread on which the path goes
// on; nil when it has come to its beginning.
func (w *walker) back(t *analyze.Thread) *analyze.Thread {
	b := lastBlock(w.blocks[t], w.at)
	if b == nil {
		from := w.Trace.Window.Begin // of a thread that only gave signals, no call is known
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
	case blockLock:
		if next = w.before(b); next == nil || next == t {
			next = t
			w.spend(Lock, t, b.Begin)
		} else {
			w.steps++ // it gave the lock up at this moment
			w.holding = true
		}
	case blockSignal:
		w.spend(Signal, t, max(b.Begin, min(w.at, b.signal)))
		next = b.holder
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
	if next == t && w.at >= before { // nothing explains it: go on before the block
		w.spend(Unknown, t, min(before-1, b.Begin))
	}
	return next
}

// before is the thread that had the lock of a block before the block ended: the last that got it meanwhile, or else the one that
// held it when the wait began.
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

// mayHold says whether a thread does not wait for a lock itself at the present. A wait may have ended without the lock.
func (w *walker) mayHold(t *analyze.Thread) bool {
	last := lastBlock(w.blocks[t], w.at)
	return last == nil || last.kind != blockLock || last.End < w.at
}

// alongGPU goes back from the completion of a command buffer over the work that the GPU did before it, as long as that is what
// kept it from beginning, to the thread that committed.
func (w *walker) alongGPU(waiter *analyze.Thread, b *analyze.CommandBuffer) *analyze.Thread {
	w.spend(Notify, waiter, min(w.at, b.GPU.End))
	for w.steps < policy.MostSteps {
		w.spend(GPU, b.Committed.Thread, min(w.at, b.GPU.Begin))
		x := w.ReleaseOf(b.Index)
		if x == nil {
			return nil
		}
		if x.Signaler != analyze.NoCommandBuffer && x.Event.End >= w.at-policy.SignalSlack.Nanos() && x.Event.Length() > 0 {
			b = w.Trace.Buffer(x.Signaler)
			w.spend(Scheduling, b.Committed.Thread, min(w.at, b.GPU.End))
			continue
		}
		if x.ByThread != nil && x.Event.End >= w.at-policy.SignalSlack.Nanos() {
			w.spend(Scheduling, b.Committed.Thread, min(w.at, x.Event.End))
			return x.ByThread
		}
		before := w.endedBefore(b, x.At)
		if before == nil {
			break
		}
		w.spend(Scheduling, b.Committed.Thread, min(w.at, before.GPU.End))
		b = before
	}
	by := b.Committed
	if x := w.ReleaseOf(b.Index); x != nil && x.Head.Length() > 0 && x.HeadBy != analyze.NoCommandBuffer {
		by = w.Trace.Buffer(x.HeadBy).Committed
	}
	w.spend(Scheduling, by.Thread, min(w.at, by.End))
	return by.Thread
}

// endedBefore is the work that ended last before the present, after b could have begun: b had to wait for it. It is nil if there
// is none, or if b began so much later that it is not what b waited for.
func (w *walker) endedBefore(b *analyze.CommandBuffer, ready analyze.Nanos) *analyze.CommandBuffer {
	list := w.ends[w.DeviceOf(b)]
	i := sort.Search(len(list), func(i int) bool { return list[i].End > w.at })
	for ; i > 0; i-- {
		r := &list[i-1]
		if r.End <= ready || w.at-r.End > policy.SignalSlack.Nanos() {
			return nil
		}
		if r.buffer != b && r.Begin < w.at {
			return r.buffer
		}
	}
	return nil
}
