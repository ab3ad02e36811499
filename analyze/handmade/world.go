// Package handmade makes traces in memory, for tests that must know them to the nanosecond.
package handmade

import (
	"mtrace/analyze"
	"mtrace/collector/wire"
)

// A World makes a trace by hand: threads A, B and C of one process, one queue on one device.
type World struct {
	Trace   *analyze.Trace
	A, B, C *analyze.Thread
	Queue   *analyze.Queue
}

// New makes an empty trace that ends at an instant.
func New(end analyze.Nanos) *World {
	w := &World{Trace: &analyze.Trace{Window: analyze.Interval{Begin: 0, End: end},
		CommandBuffers: make([]analyze.CommandBuffer, 0, room)}}
	p := &analyze.Process{ID: 1}
	w.Queue = &analyze.Queue{ID: 1, Process: p, Device: &analyze.Device{Name: "GPU"}}
	w.Trace.Queues = []*analyze.Queue{w.Queue}
	for i, t := range []**analyze.Thread{&w.A, &w.B, &w.C} {
		*t = &analyze.Thread{Process: p, ID: analyze.ThreadID(i + 1), Active: w.Trace.Window}
		w.Trace.Threads = append(w.Trace.Threads, *t)
	}
	return w
}

// At is an interval.
func At(begin, end analyze.Nanos) analyze.Interval { return analyze.Interval{Begin: begin, End: end} }

// room is how many command buffers a world may have, unless a test makes room for more: they stay where they are, so
// that it can change them.
const room = 1 << 14

// Buffer adds a command buffer that a thread commits at an instant.
func (w *World) Buffer(by *analyze.Thread, commit analyze.Nanos, gpu analyze.Interval) *analyze.CommandBuffer {
	b := analyze.CommandBuffer{ID: uint32(len(w.Trace.CommandBuffers) + 1), Process: by.Process, Queue: w.Queue, GPU: gpu,
		Created:   analyze.Call{Interval: At(commit-2, commit-1), Thread: by},
		Committed: analyze.Call{Interval: At(commit, commit+1), Thread: by}}
	if len(w.Trace.CommandBuffers) == cap(w.Trace.CommandBuffers) {
		panic("handmade: more command buffers than room was made for")
	}
	return w.Trace.Buffer(w.Trace.Add(b))
}

// Wait adds a wait for a command buffer.
func (w *World) Wait(by *analyze.Thread, i analyze.Interval, for_ *analyze.CommandBuffer) *analyze.Wait {
	w.Trace.Waits = append(w.Trace.Waits, analyze.Wait{Call: analyze.Call{Interval: i, Thread: by},
		Selector: "waitUntilCompleted", Buffer: indexOf(for_)})
	return &w.Trace.Waits[len(w.Trace.Waits)-1]
}

func indexOf(b *analyze.CommandBuffer) analyze.CommandBufferIndex {
	if b == nil {
		return analyze.NoCommandBuffer
	}
	return b.Index
}

// SignalWait adds a wait that another thread's signal ends, or nobody's; it gave a signal itself before, or none (0).
func (w *World) SignalWait(by *analyze.Thread, i analyze.Interval, object uint64, signaller *analyze.Thread,
	signalled analyze.Nanos, gave uint64) {
	w.Trace.CPUWaits.Signals = append(w.Trace.CPUWaits.Signals, analyze.SignalWait{Call: analyze.Call{Interval: i,
		Thread: by},
		Selector: "pthread_cond_wait",
		Object:   object, Signaller: signaller, Signalled: signalled, Gave: gave})
}

// Blocked adds a wait outside of Metal at a descriptor.
func (w *World) Blocked(by *analyze.Thread, i analyze.Interval, kind analyze.Blocking, what wire.Descriptor,
	name string) {
	w.Trace.CPUWaits.Blocked = append(w.Trace.CPUWaits.Blocked, analyze.BlockedWait{Call: analyze.Call{Interval: i,
		Thread: by},
		Selector: "read", Kind: kind, What: what, Name: name})
}
