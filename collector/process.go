package collector

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A process is one traced process: what its connection's frames and its shared memory say, joined.
type process struct {
	collector *Collector
	hello     wire.Hello
	peer      int       // its process id, as the kernel gave it
	number    uint64    // of its connection
	began     time.Time // when that was made
	reader    *descriptorReader

	shared mapping // there when mapped
	mapped bool
	times  *threadSampler // nil when the threads' processor times cannot be seen

	mutex   sync.Mutex // guards what follows; taken from the reader of the socket and the watcher of the rings
	index   tracefile.ProcessIndex
	added   bool // to the trace
	rings   [wire.RingCount]*ring
	clock   wire.ClockKind
	numer   uint32 // nanoseconds per tick of ClockMach, as a fraction
	denom   uint32
	ahead   int64  // how far its monotonic clock is ahead of ours, in nanoseconds
	records uint64 // handed on to the trace
	events  uint64 // those that are not More records
	missing uint64
	failure error
	doubts  []string // what it claims and what cannot be
	code    code

	names *names // that rules ask for; nil without a Selection

	newest    wire.Ticks        // the largest end of a call that may come to be in the trace
	pastTimes []wire.ThreadTime // the same of processor times

	untraced string // why nothing of it is recorded although it uses Metal; empty when it is, or does not

	stopWatching func()        // waits until the rings are not looked at any more
	hurry        chan struct{} // told when records came by the socket: a ring fills faster than it is looked at
}

// add makes the process part of the trace. A process that never says more than hello is added only when it ends.
func (p *process) add() {
	if p.added {
		return
	}
	p.added = true
	p.index = p.collector.writer.AddProcess(p.hello)
	if p.collector.selected != nil {
		p.names = newNames()
	}
	p.collector.observer.Process(p.index, p.hello)
}

// ring is the state of a ring, made when it is first seen.
func (p *process) ring(index uint16) *ring {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.rings[index] == nil {
		r := &ring{index: index}
		r.records.limit, r.facts.limit = maxHeld, maxHeldFacts
		r.records.emit = func(position uint64, records []wire.Record) { p.writeRecords(r, position, records) }
		r.facts.emit = func(position uint64, facts []byte) { p.writeFacts(r, position, facts) }
		p.rings[index] = r
	}
	return p.rings[index]
}

func (p *process) joinRecords(r *ring, position uint64, records []wire.Record) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.add()
	if err := p.checkPosition(r, position); err != nil {
		return err
	}
	if err := r.records.add(position, records); err != nil {
		return fmt.Errorf("ring %d: %w", r.index, err)
	}
	return nil
}

func (p *process) joinFacts(r *ring, position uint64, facts []byte) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.add()
	if err := r.facts.add(position, facts); err != nil {
		return fmt.Errorf("facts of ring %d: %w", r.index, err)
	}
	return p.failure
}

// writeRecords hands records on, with the mutex.
func (p *process) writeRecords(r *ring, position uint64, records []wire.Record) {
	p.records += uint64(len(records))
	for i := range records {
		if records[i].Call != wire.CallMore {
			p.events++
		}
	}
	p.collector.observer.Records(p.index, r.index, records)
	if w := p.collector.window; w != nil {
		p.keep(w, r, position, records)
		return
	}
	if p.collector.selected == nil { // to encode takes longer than all else: those of another ring may be encoded at the same time
		p.mutex.Unlock()
		defer p.mutex.Lock()
	}
	p.write(r, position, records)
}

// write hands records to the trace, or to the selection.
func (p *process) write(r *ring, position uint64, records []wire.Record) {
	if s := p.collector.selected; s != nil {
		p.sift(s, r, position, records)
		return
	}
	p.collector.written(p.collector.writer.Records(p.index, r.index, position, records))
}

// writeFacts hands on the whole facts among bytes that may end in the middle of one, with the mutex.
func (p *process) writeFacts(r *ring, position uint64, b []byte) {
	if position != r.factsEnd { // the end of what is begun will not come
		r.partial = nil
	}
	r.factsEnd = position + uint64(len(b))
	if len(r.partial) > 0 {
		b = append(r.partial, b...)
	}
	var facts []wire.Fact
	for len(b) > 0 {
		f, n, err := wire.DecodeFact(b)
		if err == wire.ErrShortFact {
			break
		}
		if err != nil {
			p.failure = fmt.Errorf("facts of ring %d: %w", r.index, err)
			b = nil
			break
		}
		facts = append(facts, f)
		b = b[n:]
	}
	r.partial = append([]byte(nil), b...)
	p.handFacts(facts)
}

// handFacts hands facts on, with the mutex. What cannot be read is not handed on, and ends the connection.
func (p *process) handFacts(facts []wire.Fact) {
	facts = slices.DeleteFunc(facts, func(f wire.Fact) bool {
		err := f.Check()
		if err != nil && p.failure == nil {
			p.failure = err
		}
		return err != nil
	})
	for _, f := range facts {
		if f.Kind == wire.FactWarning && f.Key == wire.NotTraced {
			p.untraced = f.Text
		}
	}
	p.code.note(facts)
	if p.names != nil {
		p.names.facts(facts)
	}
	p.collector.observer.Facts(p.index, facts)
	p.collector.written(p.collector.writer.Facts(p.index, facts))
}

func (p *process) handSamples(samples ...wire.ClockSample) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.add()
	p.collector.observer.Samples(p.index, samples)
	p.collector.written(p.collector.writer.Samples(p.index, samples))
}

// fail ends the connection because of what the peer did; the reader of the socket reports it.
func (p *process) fail(err error) {
	p.mutex.Lock()
	if p.failure == nil {
		p.failure = err
	}
	p.mutex.Unlock()
	p.reader.end()
}

// attach takes in the shared memory.
func (p *process) attach(fd int) error {
	m, err := mapRegion(fd)
	if err != nil {
		return err
	}
	p.shared, p.mapped = m, true
	var kind wire.ClockKind
	var numer, denom uint32
	var first wire.ClockSample
	err = guard(func() error {
		kind, first = m.Clock(), m.FirstSample()
		numer, denom = m.Timebase()
		return nil
	})
	if err != nil {
		return err
	}
	p.mutex.Lock()
	p.add()
	p.clock, p.numer, p.denom = kind, numer, denom
	p.ahead = p.clockAhead(first)
	p.collector.writer.Ahead(p.index, p.ahead)
	p.collector.observer.Clock(p.index, kind, numer, denom)
	p.collector.written(p.collector.writer.Region(p.index, kind, numer, denom))
	p.mutex.Unlock()
	p.handSamples(first)
	p.sampleClock()
	if clock := openThreadClock(p.peer); clock != nil {
		p.times = &threadSampler{clock: clock}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	p.stopWatching = func() { close(stop); <-stopped }
	go func() {
		defer close(stopped)
		p.watchRings(stop)
	}()
	return nil
}

func (p *process) sampleClock() {
	if s, ok := sampleClock(p.clock); ok && p.hello.Arch == "amd64" {
		s.Nanos += p.ahead
		p.handSamples(s)
	}
}
