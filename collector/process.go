package collector

import (
	"time"

	"mtrace/collector/wire"
)

// A process is one traced process. It combines the data from its connection's frames with the data in its shared
// memory. The reader of the frames and the reader of the rings deliver records to the order, which passes each on to
// the trace once and in its place.
type process struct {
	collector *Collector
	peer      int    // its process id, as the kernel gave it
	number    uint64 // of its connection
	reader    *descriptorReader
	rings     *ringReader
	order     *recordOrder
	trace     *processTrace
}

// newProcess returns a process that is not in the trace yet.
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

// fail closes the connection because of a protocol violation; the reader of the socket reports it.
func (p *process) fail(err error) {
	p.trace.mutex.Lock()
	if p.trace.failure == nil {
		p.trace.failure = err
	}
	p.trace.mutex.Unlock()
	p.reader.end()
}
