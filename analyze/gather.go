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

// gather makes a list in the order of time of what each thread has in a list of its own, but for what is to be left out. Of the same
// instant, the threads' come in the order of the threads.
func gather[From, To any](threads []*threadLoader, of func(*threadLoader) *list[From], at func(*From) Nanos, leaveOut func(*From) bool,
	model func(*threadLoader, *From) To) []To {
	count := 0
	for _, t := range threads {
		count += of(t).count
	}
	if count == 0 {
		return nil
	}
	var blocks []*[blockSize]From
	var owners []*threadLoader
	keys := make([]timeKey, 0, count)
	for _, t := range threads {
		l := of(t)
		for i := range l.count {
			if v := l.at(int32(i)); !leaveOut(v) {
				keys = append(keys, timeKey{at(v), uint32(len(blocks)<<blockShift + i)})
			}
		}
		for _, b := range l.blocks {
			blocks, owners = append(blocks, b), append(owners, t)
		}
	}
	out := make([]To, len(keys))
	for i, k := range byTime(keys) {
		out[i] = model(owners[k.index>>blockShift], &blocks[k.index>>blockShift][k.index%blockSize])
	}
	return out
}

// gatherThreads hands what the threads did to the trace.
func (l *loader) gatherThreads() {
	slices.SortStableFunc(l.threads, func(a, b *threadLoader) int { return cmp.Compare(a.ID, b.ID) })
	begin := func(v *seen) Nanos { return v.Begin }
	l.trace.Waits = gather(l.threads, func(t *threadLoader) *list[seen] { return &t.waits }, begin, func(v *seen) bool { return v.absorbed }, l.wait)
	l.trace.Locks = gather(l.threads, func(t *threadLoader) *list[seen] { return &t.locks }, begin, func(v *seen) bool { return v.own == 0 }, l.lock)
	l.trace.Allocations = gather(l.threads, func(t *threadLoader) *list[seen] { return &t.made }, begin, func(*seen) bool { return false }, l.allocation)
	l.trace.SignalWaits = gather(l.threads, func(t *threadLoader) *list[SignalWait] { return &t.idle }, func(w *SignalWait) Nanos { return w.Begin },
		func(w *SignalWait) bool { return w.Length() == 0 }, func(_ *threadLoader, w *SignalWait) SignalWait { return *w })
}

func (l *loader) wait(t *threadLoader, v *seen) Wait {
	rule := ruleOf(v.call)
	w := Wait{Call: v.of(t), Selector: rule.row.Selector, Interpreter: v.holds, Unfinished: v.unfinished}
	switch rule.act {
	case actWaitEvent:
		w.Event = EventValue{uint32(v.object), v.arg}
	case actWaitBuffer:
		w.Buffer = t.process.buffer(v.object)
	}
	return w
}

func (l *loader) lock(t *threadLoader, v *seen) LockWait {
	rule := ruleOf(v.call)
	k := LockWait{Call: v.of(t), Selector: rule.row.Selector, Lock: uint64(v.object), Own: v.own, Interpreter: v.holds}
	if rule.address {
		k.Lock = v.x1
	}
	if rule.named && v.x0 != 0 {
		k.Name = t.process.text(v.x0)
	}
	if rule.holder && v.arg != 0 {
		k.Holder = l.threadOf(t.process, ThreadID(v.arg)).Thread
	}
	return k
}

// storageModes are the names of MTLStorageMode, which MTLResourceOptions holds from bit 4 on.
var storageModes = [...]string{"shared", "managed", "private", "memoryless"}

// allocation is memory that was made. What is made on a heap takes the heap's memory.
func (l *loader) allocation(t *threadLoader, v *seen) Allocation {
	rule := ruleOf(v.call)
	a := Allocation{At: v.Begin, Thread: t.Thread, Stack: v.of(t).Stack, Selector: rule.row.Selector, Object: uint32(v.arg), Bytes: v.x0, Storage: storageModes[v.x1>>4&3],
		OnHeap: rule.onHeap}
	if rule.address {
		a.Address = v.x2
	}
	if at := t.process.released.find(wire.ObjectID(v.arg)); at != nil && a.Object != 0 {
		a.Released = *at
	}
	return a
}
