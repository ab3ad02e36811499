package tracesim

import (
	"mtrace/collector/wire"
)

// A Thread is a thread of a simulated program. Its methods are Metal's calls; each takes its time and is recorded.
type Thread struct {
	*routine
	sim  *Sim
	id   uint64
	ring *Ring
	used used // of processors
}

// Now is the virtual time.
func (t *Thread) Now() int64 { return t.sim.clock.now }

// Random is a number from 0 to 1, the same in each run.
func (t *Thread) Random() float64 { return t.sim.random.Float64() }

// call lets a call take its time and records it.
func (t *Thread) call(family wire.Family, selector string, cost int64, object uint32, arg uint64) {
	begin := t.Now()
	t.sleep(t.sim.vary(cost))
	t.ring.Add(wire.MustLookup(family, selector), begin, t.Now(), object, arg)
}

// delay is one of the simulation's delays.
func (t *Thread) delay(d int64) {
	if d > 0 {
		t.sim.Truth.Injected += d
		t.sleep(d)
	}
}

// Work computes, outside of Metal.
func (t *Thread) Work(d int64) {
	d = t.sim.vary(d)
	t.sim.process.End.CPU += d
	if t.sim.Processors.Count == 0 {
		t.sleep(d)
		return
	}
	t.sim.Processors.all.begin(d, &t.used, func() { t.wake(0) })
	t.block()
}

// Sleep passes time without a processor.
func (t *Thread) Sleep(d int64) { t.sleep(t.sim.vary(d)) }

// Lock takes a lock of the program, which the tracer may see.
func (t *Thread) Lock(l *Lock) {
	begin, holder := t.Now(), l.holder
	if holder == nil {
		l.holder = t
		return
	}
	l.waiting = append(l.waiting, t)
	t.block()
	t.sim.Truth.LockBlocked += t.Now() - begin
	if l.Seen {
		t.ring.AddMore(wire.Record{Begin: wire.Ticks(begin), End: wire.Ticks(t.Now()), Arg: holder.id,
			Call: wire.MustLookup(wire.FamilyLock, "pthread_mutex_lock")},
			wire.More{X0: t.sim.process.String("lock"), X1: 0x8000})
	}
}

// Spin takes a lock of the program without sleeping; the tracer does not see it.
func (t *Thread) Spin(l *Lock) {
	for l.holder != nil {
		t.Work(20_000)
	}
	l.holder = t
}

// Queue takes a lock of the program in the order in which threads came, as a ticket lock gives it, without sleeping;
// the tracer does not see it.
func (t *Thread) Queue(l *Lock) {
	for l.tickets = append(l.tickets, t); l.holder != nil || l.tickets[0] != t; {
		t.Work(20_000)
	}
	l.holder, l.tickets = t, l.tickets[1:]
}

// Unlock gives the lock to the one that waits longest.
func (t *Thread) Unlock(l *Lock) {
	t.delay(t.sim.Delay.Hold)
	l.holder = nil
	if len(l.waiting) > 0 {
		l.holder, l.waiting = l.waiting[0], l.waiting[1:]
		l.holder.wake(1000)
	}
}

// CommandBuffer makes one; it blocks while the queue has all it may have.
func (t *Thread) CommandBuffer(q *Queue) *Buffer {
	begin := t.Now()
	t.sleep(t.sim.vary(t.sim.Acquire))
	for q.used >= q.capacity {
		q.waiting = append(q.waiting, t)
		t.block()
	}
	q.used++
	b := &Buffer{id: t.sim.id(), queue: q}
	t.ring.Add(wire.MustLookup(wire.FamilyQueue, "commandBuffer"), begin, t.Now(), q.id, uint64(b.id))
	return b
}

// Encode encodes one dispatch of a kernel that keeps the GPU busy for about a duration.
func (t *Thread) Encode(b *Buffer, kernel string, duration int64) {
	e := t.sim.id()
	t.call(wire.FamilyCommandBuffer, "computeCommandEncoder", t.sim.Encoder, b.id, uint64(e))
	t.call(wire.FamilyEncoder, "setComputePipelineState:", 100, e, uint64(t.sim.pipeline(kernel)))
	begin := t.Now()
	t.sleep(t.sim.vary(t.sim.Dispatch))
	t.ring.AddMore(wire.Record{Begin: wire.Ticks(begin), End: wire.Ticks(t.Now()), Object: wire.ObjectID(e), Arg: 1024,
		Call: wire.MustLookup(wire.FamilyEncoder, "dispatchThreads:threadsPerThreadgroup:")}, wire.More{X0: 1024 | 1<<32,
		X1: 1 | 256<<32, X2: 1 | 1<<32})
	t.call(wire.FamilyEncoder, "endEncoding", t.sim.EndEncoding, e, 0)
	b.duration += t.sim.vary(duration)
	b.encoded++
}

// Handler adds a completion handler that takes a time.
func (t *Thread) Handler(b *Buffer, takes int64) {
	t.call(wire.FamilyCommandBuffer, "addCompletedHandler:", 300, b.id, 0)
	b.handlers = append(b.handlers, takes)
}

// Handle waits until the GPU has done the command buffer, and runs a completion handler of it. No call shows either.
func (t *Thread) Handle(b *Buffer, run func()) {
	b.handler = t
	t.block()
	run()
	b.completes(t.Now())
}

// SignalEvent makes the command buffer signal an event when it is done.
func (t *Thread) SignalEvent(b *Buffer, event uint32, value uint64) {
	t.event(b, "encodeSignalEvent:value:", event, value)
	b.signals = append(b.signals, eventValue{event, value})
}

// WaitEvent makes the command buffer wait for an event before it begins.
func (t *Thread) WaitEvent(b *Buffer, event uint32, value uint64) {
	t.event(b, "encodeWaitForEvent:value:", event, value)
	b.waits = append(b.waits, eventValue{event, value})
}

func (t *Thread) event(b *Buffer, selector string, event uint32, value uint64) {
	begin := t.Now()
	t.sleep(300)
	t.ring.AddMore(wire.Record{Begin: wire.Ticks(begin), End: wire.Ticks(t.Now()), Object: wire.ObjectID(b.id), Arg: value,
		Call: wire.MustLookup(wire.FamilyCommandBuffer, selector)}, wire.More{X0: uint64(event)})
}

// Enqueue reserves the command buffer's place in its queue.
func (t *Thread) Enqueue(b *Buffer) {
	t.call(wire.FamilyCommandBuffer, "enqueue", 500, b.id, 0)
	b.enqueued = true
	b.queue.order = append(b.queue.order, b)
}

// Commit hands the command buffer over.
func (t *Thread) Commit(b *Buffer) {
	t.delay(t.sim.Delay.Commit)
	s, begin := t.sim, t.Now()
	if s.CommitLock != nil {
		t.Lock(s.CommitLock)
	}
	t.sleep(s.vary(s.Costs.Commit))
	if s.CommitLock != nil {
		t.Unlock(s.CommitLock)
	}
	b.committed = true
	if !b.enqueued {
		b.queue.order = append(b.queue.order, b)
	}
	b.ready = t.Now() + s.vary(s.Schedule)
	s.clock.at(b.ready, s.feed)
	t.ring.Add(wire.MustLookup(wire.FamilyCommandBuffer, "commit"), begin, t.Now(), b.id, 0)
}

// Wait waits until the command buffer has completed.
func (t *Thread) Wait(b *Buffer) {
	begin := t.Now()
	if !b.complete {
		b.waiters = append(b.waiters, t)
		t.block()
	} else {
		t.sleep(200)
	}
	t.ring.Add(wire.MustLookup(wire.FamilyCommandBuffer, "waitUntilCompleted"), begin, t.Now(), b.id, 0)
	t.delay(t.sim.Delay.Wait)
}

// SetEvent gives a shared event a value.
func (t *Thread) SetEvent(event uint32, value uint64) {
	begin := t.Now()
	t.sleep(500)
	t.ring.Add(wire.MustLookup(wire.FamilyEvent, "setSignaledValue:"), begin, t.Now(), event, value)
	t.sim.signal(eventValue{event, value})
	t.sim.feed()
}

// Done says whether the command buffer has completed, as its status does.
func (t *Thread) Done(b *Buffer) bool { return b.complete }

// Compile makes a pipeline state, which takes a time.
func (t *Thread) Compile(kernel string, takes int64) {
	begin := t.Now()
	t.sleep(t.sim.vary(takes))
	t.ring.AddMore(wire.Record{Begin: wire.Ticks(begin), End: wire.Ticks(t.Now()), Object: 1, Arg: uint64(t.sim.id()),
		Call: wire.MustLookup(wire.FamilyDevice, "newComputePipelineStateWithFunction:error:")},
		wire.More{X0: t.sim.process.String(kernel)})
}

// Allocate makes a buffer of a size at an address.
func (t *Thread) Allocate(bytes, address uint64) { t.Make(bytes, address, 0) }

// The storage modes of memory, as MTLResourceOptions have them.
const (
	Shared  = 0 << 4
	Private = 2 << 4
)

// Make makes a buffer of a size, at an address that the CPU sees, or 0, and returns its number.
func (t *Thread) Make(bytes, address, storage uint64) uint32 {
	begin, id := t.Now(), t.sim.id()
	t.sleep(t.sim.vary(t.sim.Costs.Make))
	t.ring.AddMore(wire.Record{Begin: wire.Ticks(begin), End: wire.Ticks(t.Now()), Object: 1, Arg: uint64(id),
		Call: wire.MustLookup(wire.FamilyDevice, "newBufferWithLength:options:")}, wire.More{X0: bytes, X1: storage,
		X2: address})
	return id
}

// MakeOnHeap makes a buffer in memory that a heap has.
func (t *Thread) MakeOnHeap(bytes uint64) {
	begin := t.Now()
	t.sleep(t.sim.vary(500))
	t.ring.AddMore(wire.Record{Begin: wire.Ticks(begin), End: wire.Ticks(t.Now()), Object: 2, Arg: uint64(t.sim.id()),
		Call: wire.MustLookup(wire.FamilyHeap, "newBufferWithLength:options:")}, wire.More{X0: bytes})
}

// Release gives memory back.
func (t *Thread) Release(buffer uint32) { t.call(wire.FamilyResource, "dealloc", 500, buffer, 0) }

// Label names a command buffer.
func (t *Thread) Label(b *Buffer, label string) {
	t.call(wire.FamilyCommandBuffer, "setLabel:", 100, b.id, t.sim.process.String(label))
}

// Fail lets a command buffer end with an error, of which Metal says these words.
func (t *Thread) Fail(b *Buffer, words string) { b.failure = words }

// Copy encodes a copy from one buffer to another.
func (t *Thread) Copy(b *Buffer, from, to uint32, bytes uint64) {
	t.blit(b, "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", from, to, bytes)
}

// Fill encodes that a buffer is filled.
func (t *Thread) Fill(b *Buffer, to uint32, bytes uint64) {
	t.blit(b, "fillBuffer:range:value:", 0, to, bytes)
}

func (t *Thread) blit(b *Buffer, selector string, from, to uint32, bytes uint64) {
	e := t.sim.id()
	t.call(wire.FamilyCommandBuffer, "blitCommandEncoder", t.sim.Encoder, b.id, uint64(e))
	begin := t.Now()
	t.sleep(t.sim.vary(t.sim.Dispatch))
	t.ring.AddMore(wire.Record{Begin: wire.Ticks(begin), End: wire.Ticks(t.Now()), Object: wire.ObjectID(e), Arg: bytes,
		Call: wire.MustLookup(wire.FamilyEncoder, selector)},
		wire.More{X0: uint64(from), X1: uint64(to)})
	t.call(wire.FamilyEncoder, "endEncoding", t.sim.EndEncoding, e, 0)
	b.duration += int64(bytes / 100)
}

// Residency calls a method of a residency set, which takes a time.
func (t *Thread) Residency(selector string, takes int64) {
	t.call(wire.FamilyResidencySet, selector, takes, 1, 0)
}

// Scope gives a name to the time from begin to now.
func (t *Thread) Scope(name string, begin int64) {
	t.ring.Add(wire.MustLookup(wire.FamilyTracer, "scope"), begin, t.Now(), 0, t.sim.process.String(name))
}
