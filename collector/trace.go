package collector

import (
	"fmt"
	"slices"
	"sync"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A processTrace writes what is known of a process into the trace. Its mutex also guards the order and the filters.
type processTrace struct {
	collector *Collector
	hello     wire.Hello
	peer      int              // its process id, as the kernel gave it
	window    *windowFilter    // nil when all times are kept
	selection *selectionFilter // nil when all calls are kept

	mutex    sync.Mutex // guards what follows; taken from the reader of the socket and the reader of the rings
	index    tracefile.ProcessIndex
	added    bool // to the trace
	clock    wire.ClockKind
	numer    uint32 // nanoseconds per tick of ClockMach, as a fraction
	denom    uint32
	ahead    int64  // how far its monotonic clock is ahead of ours, in nanoseconds
	records  uint64 // handed on to the trace
	events   uint64 // those that are not More records
	failure  error
	doubts   []string // what it claims and what cannot be
	code     code
	untraced string // why nothing of it is recorded although it uses Metal; empty when it is, or does not
}

// add makes the process part of the trace. A process that never says more than hello is added only when it ends.
func (t *processTrace) add() {
	if t.added {
		return
	}
	t.added = true
	t.index = t.collector.writer.AddProcess(t.hello)
	t.collector.observer.Process(t.index, t.hello)
}

// writeRecords hands records on, with the mutex.
func (t *processTrace) writeRecords(r *ring, position uint64, records []wire.Record) {
	t.records += uint64(len(records))
	for i := range records {
		if records[i].Call != wire.CallMore {
			t.events++
		}
	}
	t.collector.observer.Records(t.index, r.index, records)
	if t.window != nil {
		t.window.add(r, position, records)
		return
	}
	if t.selection == nil { // encoding takes longer than all else: let another ring's records be encoded at the same time
		t.mutex.Unlock()
		defer t.mutex.Lock()
	}
	t.write(r, position, records)
}

// write hands records to the trace, or to the selection.
func (t *processTrace) write(r *ring, position uint64, records []wire.Record) {
	if t.selection != nil {
		t.selection.add(r, position, records)
		return
	}
	t.writeAt(r, position, records)
}

// writeAt writes records of a ring into the trace, at a position that is less the number of records that were left out.
func (t *processTrace) writeAt(r *ring, position uint64, records []wire.Record) {
	t.collector.written(t.collector.writer.Records(t.index, r.index, position, records))
}

// writeFacts hands on the whole facts among bytes that may end in the middle of one, with the mutex.
func (t *processTrace) writeFacts(r *ring, position uint64, b []byte) {
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
			t.failure = fmt.Errorf("facts of ring %d: %w", r.index, err)
			b = nil
			break
		}
		facts = append(facts, f)
		b = b[n:]
	}
	r.partial = append([]byte(nil), b...)
	t.handFacts(facts)
}

// handFacts hands facts on, with the mutex. What cannot be read is not handed on, and ends the connection.
func (t *processTrace) handFacts(facts []wire.Fact) {
	facts = slices.DeleteFunc(facts, func(f wire.Fact) bool {
		err := f.Check()
		if err != nil && t.failure == nil {
			t.failure = err
		}
		return err != nil
	})
	for _, f := range facts {
		if f.Kind == wire.FactWarning && f.Key == wire.NotTraced {
			t.untraced = f.Text
		}
	}
	t.code.note(facts)
	if t.selection != nil {
		t.selection.names.facts(facts)
	}
	t.collector.observer.Facts(t.index, facts)
	t.collector.written(t.collector.writer.Facts(t.index, facts))
}

func (t *processTrace) handSamples(samples ...wire.ClockSample) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.add()
	t.collector.observer.Samples(t.index, samples)
	t.collector.written(t.collector.writer.Samples(t.index, samples))
}

// beginClock notes on which clock the process records, and a sample of it.
func (t *processTrace) beginClock(kind wire.ClockKind, numer, denom uint32, first wire.ClockSample) {
	t.mutex.Lock()
	t.add()
	t.clock, t.numer, t.denom = kind, numer, denom
	t.ahead = t.clockAhead(first)
	t.collector.writer.Ahead(t.index, t.ahead)
	t.collector.observer.Clock(t.index, kind, numer, denom)
	t.collector.written(t.collector.writer.Region(t.index, kind, numer, denom))
	t.mutex.Unlock()
	t.handSamples(first)
}

func (t *processTrace) sampleClock() {
	if s, ok := sampleClock(t.clock); ok && t.hello.Arch == "amd64" {
		s.Nanos += t.ahead
		t.handSamples(s)
	}
}
