package collector

import (
	"time"

	"mtrace/collector/wire"
)

// A process is one traced process. Records arrive in two ways: readFrames receives them from the socket, rings reads
// them from shared memory. Both pass them to order, which delivers each record to trace once and in order.
type process struct {
	collector *Collector
	peer      int    // the process id, as the kernel reports it
	number    uint64 // number of the process's connection
	reader    *descriptorReader
	rings     *ringReader
	order     *recordOrder
	trace     *processTrace
}

// newProcess returns a process that has sent its hello (first message) and nothing else. The process becomes part of
// the trace when it sends more, or when it ends.
func newProcess(c *Collector, hello wire.Hello, peer int) *process {
	t := &processTrace{collector: c, hello: hello, peer: peer}
	o := &recordOrder{trace: t, began: time.Now()}
	if c.window != nil {
		t.window = &windowFilter{trace: t, window: c.window, rings: &o.rings}
	}
	if c.selected != nil {
		t.selection = &selectionFilter{trace: t, selection: c.selected, rings: &o.rings, names: newNames()}
	}
	p := &process{collector: c, peer: peer, order: o, trace: t}
	p.rings = &ringReader{
		trace: t, order: o, peer: peer, fail: p.fail,
		hurry: make(chan struct{}, 1), asked: make(chan chan<- struct{}, 1), stopWatching: func() {},
	}
	return p
}

// fail ends the connection of a process because it violated the protocol. It stores the error, which readFrames
// returns, and wakes the reader of the socket.
func (p *process) fail(err error) {
	p.trace.mutex.Lock()
	if p.trace.failure == nil {
		p.trace.failure = err
	}
	p.trace.mutex.Unlock()
	p.reader.end()
}
