package analyze

import (
	"cmp"
	"slices"

	"mtrace/collector/wire"
)

// A compactCall is a call that the model stores individually, in compact form. It has no pointers, so the garbage
// collector need not scan millions of them while the trace is read.
type compactCall struct {
	Interval
	arg        uint64
	object     wire.ObjectID
	stack      uint32 // Stack.number; 0 for none
	call       wire.Call
	holds      InterpreterLock
	polls      uint32 // for a wait by polling: how often the thread read the status
	pollGap    uint32 // the time between its last two reads of the status, in nanoseconds
	unfinished bool
	absorbed   bool // it counts as a part of the call around it
	earlier    bool // it began before the loaded range
	failed     bool // the call returned NO
}

// A compactCallMore is a call in compact form (compactCall) together with its additional values X0 to X2, which are in
// a record of their own (wire.More).
type compactCallMore struct {
	compactCall
	own        Nanos
	x0, x1, x2 uint64
}

// A source is one thread's list during the merge of all threads' lists: the next value and the position behind it.
type source[From any] struct {
	value  *From // the next value in order of time
	list   *chronicle[From]
	order  []timeKey // the order of the list by time; nil if the list is sorted already
	next   int       // position (in order) after value
	thread *threadLoader
}

// A gathering merges the lists of all threads into one list of the trace, sorted by time. Each thread's list is
// nearly always sorted already, so one pass over the values is enough, where sorting would need several.
type gathering[From, To any] struct {
	of    func(*threadLoader) *chronicle[From]
	at    func(*From) (at Nanos, leaveOut bool)
	model func(*threadLoader, *From, *To)
}

// gather returns the merged list, sorted by time. Values with the same instant are in the order of their threads'
// IDs.
func (g *gathering[From, To]) gather(threads []*threadLoader) []To {
	var sources []source[From]
	var firsts []Nanos
	count := 0
	for _, t := range threads {
		s := source[From]{list: g.of(t), thread: t}
		if s.list.count == 0 {
			continue
		}
		if count += s.list.count; s.list.unsorted || t.nest.skewed > 0 {
			keys := make([]timeKey, s.list.count)
			for i := range keys {
				at, _ := g.at(s.list.at(int32(i)))
				keys[i] = timeKey{at, uint32(i)}
			}
			s.order = byTime(keys)
		}
		first := g.advance(&s)
		sources, firsts = append(sources, s), append(firsts, first)
	}
	if count == 0 {
		return nil
	}
	out := make([]To, count)
	n := 0
	for m := newMerge(firsts); m.least() < never; n++ {
		s := &sources[m.first()]
		g.model(s.thread, s.value, &out[n])
		m.replace(g.advance(s))
	}
	return out[:n]
}

// advance makes the source's next value current and returns its instant. It skips values that g.at leaves out. At the
// end of the list it returns the constant never.
func (g *gathering[From, To]) advance(s *source[From]) Nanos {
	for s.next < s.list.count {
		i := s.next
		if s.order != nil {
			i = int(s.order[i].index)
		}
		s.next++
		s.value = s.list.at(int32(i))
		if at, leaveOut := g.at(s.value); !leaveOut {
			return at
		}
	}
	return never
}

// gatherThreads merges the lists of all threads into the trace's lists: waits, allocations and signals, each sorted
// by time.
func gatherThreads(l *loader) {
	slices.SortStableFunc(l.threads, func(a, b *threadLoader) int { return cmp.Compare(a.ID, b.ID) })
	waits := gathering[compactCall, Wait]{func(t *threadLoader) *chronicle[compactCall] { return &t.waits },
		func(v *compactCall) (Nanos, bool) { return v.Begin, v.absorbed }, l.wait}
	locks := gathering[compactCallMore, LockWait]{func(t *threadLoader) *chronicle[compactCallMore] { return &t.locks },
		func(v *compactCallMore) (Nanos, bool) { return v.Begin, v.own == 0 }, l.lock}
	made := gathering[compactCallMore, Allocation]{func(t *threadLoader) *chronicle[compactCallMore] { return &t.made },
		func(v *compactCallMore) (Nanos, bool) { return v.Begin, false }, l.allocation}
	idle := gathering[SignalWait, SignalWait]{func(t *threadLoader) *chronicle[SignalWait] { return &t.idle },
		func(w *SignalWait) (Nanos, bool) { return w.Begin, w.Length() == 0 },
		func(_ *threadLoader, from, to *SignalWait) { *to = *from }}
	blocked := gathering[BlockedWait, BlockedWait]{func(t *threadLoader) *chronicle[BlockedWait] { return &t.blocked },
		func(w *BlockedWait) (Nanos, bool) { return w.Begin, w.Length() == 0 },
		func(_ *threadLoader, from, to *BlockedWait) { *to = *from }}
	l.trace.CPUWaits.Blocked = blocked.gather(l.threads)
	l.trace.Waits, l.trace.CPUWaits.Locks = waits.gather(l.threads), locks.gather(l.threads)
	l.trace.Memory.Allocations, l.trace.CPUWaits.Signals = made.gather(l.threads), idle.gather(l.threads)
	l.releaseLifetimes()
}

// releaseLifetimes sets Lifetime.Released, when each object was released. It runs after all threads were read,
// because another thread than the creator may have released the object.
func (l *loader) releaseLifetimes() {
	if l.adds { // a later range may have the release
		return
	}
	loaders := map[*Process]*processLoader{}
	for _, p := range l.processes {
		loaders[p.Process] = p
	}
	for i := range l.trace.Memory.Lifetimes {
		life := &l.trace.Memory.Lifetimes[i]
		if at := loaders[life.Thread.Process].released.find(wire.ObjectID(life.Object) / pageSize); at != nil {
			life.Released = at[life.Object%pageSize]
		}
	}
}

func (l *loader) wait(t *threadLoader, v *compactCall, w *Wait) {
	rule := ruleOf(v.call)
	w.Call, w.Selector, w.Interpreter, w.Unfinished = v.of(t), rule.row.Selector, v.holds, v.unfinished
	w.Earlier, w.Polls, w.PollGap = v.earlier, int(v.polls), Nanos(v.pollGap)
	w.TimedOut = v.failed && rule.effect == wire.EffectWaitsValue && !rule.polls
	w.Scheduled = rule.effect == wire.EffectWaitsScheduled
	switch rule.object {
	case wire.KindEvent:
		w.Event = EventValue{uint32(v.object), v.arg}
	case wire.KindCommandBuffer:
		w.Buffer = l.indexOf(t.process.buffer(v.object))
	}
}

// indexOf returns the index of a command buffer in the trace. A command buffer that did not exist in the requested
// time range is in no list yet; indexOf appends it to Range.referred, whose indices follow the indices in
// Trace.CommandBuffers.
func (l *loader) indexOf(b *CommandBuffer) CommandBufferIndex {
	if b == nil {
		return NoCommandBuffer
	}
	if b.Index == NoCommandBuffer {
		b.Index = CommandBufferIndex(l.trace.IndexCount())
		l.trace.Range.referred = append(l.trace.Range.referred, *b)
	}
	return b.Index
}

func (l *loader) lock(t *threadLoader, v *compactCallMore, k *LockWait) {
	rule := ruleOf(v.call)
	k.Call, k.Selector, k.Lock, k.Exclusive, k.Interpreter = v.of(t), rule.row.Selector, uint64(v.object), v.own, v.holds
	k.Earlier = v.earlier
	if rule.address != wire.Nowhere {
		k.Lock = v.x1
	}
	if rule.name != wire.Nowhere && v.x0 != 0 {
		k.Name = t.process.text(v.x0)
	}
	if rule.holder != wire.Nowhere && v.arg != 0 {
		k.Holder = l.threadOf(t.process, ThreadID(v.arg)).Thread
	}
}

// StorageMode returns the name of the MTLStorageMode in bits 4 and 5 of MTLResourceOptions.
func StorageMode(options uint64) string {
	return [...]string{"shared", "managed", "private", "memoryless"}[options>>4&3]
}

// allocation converts the record of a call that allocated memory. OnHeap is set if the memory is part of another
// allocation that is counted already: a heap, or the resource that a view refers to. Totals skip these, or the
// memory would count twice.
func (l *loader) allocation(t *threadLoader, v *compactCallMore, a *Allocation) {
	rule := ruleOf(v.call)
	a.At, a.Took, a.Thread, a.Stack, a.Selector = v.Begin, v.Length(), t.Thread, v.of(t).Stack, rule.row.Selector
	a.Object, a.Bytes, a.Storage = uint32(v.arg), v.x0, StorageMode(v.x1)
	// a texture view or buffer view shares the memory of the resource it was made from
	a.View = rule.object == wire.KindResource
	a.OnHeap = a.View || rule.object == wire.KindHeap
	a.Copied = rule.effect == wire.EffectAllocatesCopy
	if rule.address != wire.Nowhere {
		a.Address = v.x2
	}
	id := wire.ObjectID(v.arg)
	if at := t.process.released.find(id / pageSize); at != nil && a.Object != 0 {
		a.Released = at[id%pageSize]
	}
}

func (v *compactCall) set(c Call, holds InterpreterLock, r *wire.Record, unfinished bool) {
	v.Interval, v.arg, v.object, v.call, v.holds, v.unfinished = c.Interval, r.Arg, r.Object, r.Call, holds, unfinished
	v.failed = r.Flags&wire.Failed != 0
	if c.Stack != nil {
		v.stack = c.Stack.number
	}
}

func (v *compactCallMore) set(c Call, holds InterpreterLock, r *wire.Record, m *wire.More, unfinished bool) {
	v.compactCall.set(c, holds, r, unfinished)
	v.x0, v.x1, v.x2 = m.X0, m.X1, m.X2
}

// of returns the model's Call for a call that thread t made, with its stack if one was recorded.
func (v *compactCall) of(t *threadLoader) Call {
	c := Call{Interval: v.Interval, Thread: t.Thread}
	if v.stack > 0 {
		c.Stack = t.process.stacks.all[v.stack-1]
	}
	return c
}
