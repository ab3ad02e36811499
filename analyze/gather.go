package analyze

import (
	"cmp"
	"slices"

	"mtrace/collector/wire"
)

// A seen is a call that the model keeps, as the numbers of its record: there may be millions, and the garbage collector has nothing to
// follow in them while the trace is read.
type seen struct {
	Interval
	own        Nanos
	arg        uint64
	x0, x1, x2 uint64
	object     wire.ObjectID
	stack      uint32 // Stack.number; 0 for none
	call       wire.Call
	holds      InterpreterLock
	unfinished bool
	absorbed   bool // it is a part of the call around it
}

func (v *seen) set(c Call, holds InterpreterLock, r *wire.Record, m *wire.More, unfinished bool) {
	v.Interval, v.arg, v.object, v.call, v.holds, v.unfinished = c.Interval, r.Arg, r.Object, r.Call, holds, unfinished
	v.x0, v.x1, v.x2 = m.X0, m.X1, m.X2
	if c.Stack != nil {
		v.stack = c.Stack.number
	}
}

// of is the call, made by the thread.
func (v *seen) of(t *threadLoader) Call {
	c := Call{Interval: v.Interval, Thread: t.Thread}
	if v.stack > 0 {
		c.Stack = t.process.stacks.all[v.stack-1]
	}
	return c
}

// A source is what one thread has for a list that is gathered from all of them, from its next value on.
type source[From any] struct {
	at     Nanos // of the next
	value  *From
	list   *list[From]
	order  []timeKey // nil: as it is
	next   int       // behind the value
	thread *threadLoader
	rank   int // of the thread among all of them
}

// before says whether the source's next value comes before that of another.
func (s *source[From]) before(o *source[From]) bool {
	return s.at < o.at || s.at == o.at && s.rank < o.rank
}

// A gathering makes one list, in the order of time, of what each thread has in a list of its own. Threads' lists are nearly always in
// order, so they are merged: what is gathered is looked at once, not once more to be sorted.
type gathering[From, To any] struct {
	of       func(*threadLoader) *list[From]
	at       func(*From) Nanos
	leaveOut func(*From) bool
	model    func(*threadLoader, *From, *To)
	sources  []source[From] // a heap
}

// gather makes the list. Of the same instant, the threads' values come in the order of the threads.
func (g *gathering[From, To]) gather(threads []*threadLoader) []To {
	count := 0
	for rank, t := range threads {
		s := source[From]{list: g.of(t), thread: t, rank: rank}
		if count += s.list.count; s.list.unsorted || t.nest.skewed > 0 {
			keys := make([]timeKey, s.list.count)
			for i := range keys {
				keys[i] = timeKey{g.at(s.list.at(int32(i))), uint32(i)}
			}
			s.order = byTime(keys)
		}
		if g.advance(&s) {
			g.sources = append(g.sources, s)
		}
	}
	if count == 0 {
		return nil
	}
	for i := len(g.sources)/2 - 1; i >= 0; i-- {
		g.down(i)
	}
	out := make([]To, count)
	n := 0
	for ; len(g.sources) > 0; n++ {
		top := &g.sources[0]
		g.model(top.thread, top.value, &out[n])
		if !g.advance(top) {
			last := len(g.sources) - 1
			g.sources[0] = g.sources[last]
			g.sources = g.sources[:last]
		}
		g.down(0)
	}
	return out[:n]
}

// advance goes to the source's next value that is not left out; false when there is none.
func (g *gathering[From, To]) advance(s *source[From]) bool {
	for s.next < s.list.count {
		i := s.next
		if s.order != nil {
			i = int(s.order[i].index)
		}
		s.next++
		if s.value = s.list.at(int32(i)); !g.leaveOut(s.value) {
			s.at = g.at(s.value)
			return true
		}
	}
	return false
}

// down moves a source down the heap to its place.
func (g *gathering[From, To]) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(g.sources); child++ {
			if g.sources[child].before(&g.sources[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		g.sources[i], g.sources[least] = g.sources[least], g.sources[i]
		i = least
	}
}

// gatherThreads hands what the threads did to the trace.
func (l *loader) gatherThreads() {
	slices.SortStableFunc(l.threads, func(a, b *threadLoader) int { return cmp.Compare(a.ID, b.ID) })
	begin := func(v *seen) Nanos { return v.Begin }
	waits := gathering[seen, Wait]{of: func(t *threadLoader) *list[seen] { return &t.waits }, at: begin, leaveOut: func(v *seen) bool { return v.absorbed }, model: l.wait}
	locks := gathering[seen, LockWait]{of: func(t *threadLoader) *list[seen] { return &t.locks }, at: begin, leaveOut: func(v *seen) bool { return v.own == 0 }, model: l.lock}
	made := gathering[seen, Allocation]{of: func(t *threadLoader) *list[seen] { return &t.made }, at: begin, leaveOut: func(*seen) bool { return false }, model: l.allocation}
	idle := gathering[SignalWait, SignalWait]{of: func(t *threadLoader) *list[SignalWait] { return &t.idle }, at: func(w *SignalWait) Nanos { return w.Begin },
		leaveOut: func(w *SignalWait) bool { return w.Length() == 0 }, model: func(_ *threadLoader, from, to *SignalWait) { *to = *from }}
	l.trace.Waits, l.trace.Locks = waits.gather(l.threads), locks.gather(l.threads)
	l.trace.Allocations, l.trace.SignalWaits = made.gather(l.threads), idle.gather(l.threads)
}

func (l *loader) wait(t *threadLoader, v *seen, w *Wait) {
	rule := ruleOf(v.call)
	w.Call, w.Selector, w.Interpreter, w.Unfinished = v.of(t), rule.row.Selector, v.holds, v.unfinished
	switch rule.act {
	case actWaitEvent:
		w.Event = EventValue{uint32(v.object), v.arg}
	case actWaitBuffer:
		w.Buffer = t.process.buffer(v.object)
	}
}

func (l *loader) lock(t *threadLoader, v *seen, k *LockWait) {
	rule := ruleOf(v.call)
	k.Call, k.Selector, k.Lock, k.Own, k.Interpreter = v.of(t), rule.row.Selector, uint64(v.object), v.own, v.holds
	if rule.address {
		k.Lock = v.x1
	}
	if rule.named && v.x0 != 0 {
		k.Name = t.process.text(v.x0)
	}
	if rule.holder && v.arg != 0 {
		k.Holder = l.threadOf(t.process, ThreadID(v.arg)).Thread
	}
}

// storageModes are the names of MTLStorageMode, which MTLResourceOptions holds from bit 4 on.
var storageModes = [...]string{"shared", "managed", "private", "memoryless"}

// allocation is memory that was made. What is made on a heap takes the heap's memory.
func (l *loader) allocation(t *threadLoader, v *seen, a *Allocation) {
	rule := ruleOf(v.call)
	a.At, a.Took, a.Thread, a.Stack, a.Selector = v.Begin, v.Length(), t.Thread, v.of(t).Stack, rule.row.Selector
	a.Object, a.Bytes, a.Storage, a.OnHeap = uint32(v.arg), v.x0, storageModes[v.x1>>4&3], rule.onHeap
	if rule.address {
		a.Address = v.x2
	}
	id := wire.ObjectID(v.arg)
	if at := t.process.released.find(id / pageSize); at != nil && a.Object != 0 {
		a.Released = at[id%pageSize]
	}
}
