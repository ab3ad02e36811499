package collector

import (
	"fmt"
	"slices"
	"sync"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A processTrace writes the data of one process to the trace. Its mutex also guards the process's recordOrder,
// windowFilter and selectionFilter.
type processTrace struct {
	collector *Collector
	hello     wire.Hello
	peer      int              // the process id, as the kernel reports it
	window    *windowFilter    // nil if the whole recording is written
	selection *selectionFilter // nil if all calls are written

	mutex    sync.Mutex // guards the following fields; the reader of the socket and the reader of the rings lock it
	index    tracefile.ProcessIndex
	added    bool // the process is part of the trace, and index is valid
	clock    wire.ClockKind
	numer    uint32 // nanoseconds per tick of ClockMach, as a fraction
	denom    uint32
	ahead    int64  // how far the process's monotonic clock is ahead of the collector's, in nanoseconds
	records  uint64 // records written to the trace
	events   uint64 // records written to the trace, without More records
	failure  error
	doubts   []string // impossible values that the process reported, one line each
	code     code
	untraced string // why the process is not recorded although it uses Metal; empty otherwise
}

// add makes the process part of the trace, unless it is already. A process that connects without recording anything
// is added only when it ends.
func (t *processTrace) add() {
	if t.added {
		return
	}
	t.added = true
	t.index = t.collector.writer.AddProcess(t.hello)
	t.collector.observer.Process(t.index, t.hello)
}

// writeRecords counts new records of a thread's ring buffer and passes them to the observer and to the filters or the
// trace. The caller holds the mutex, which is released while records are encoded.
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
	// encoding takes most of the time: release the mutex so that records of other ring buffers can be encoded at the
	// same time
	if t.selection == nil {
		t.mutex.Unlock()
		defer t.mutex.Lock()
	}
	t.write(r, position, records)
}

// write passes records to the selection filter, or to the trace if there is none.
func (t *processTrace) write(r *ring, position uint64, records []wire.Record) {
	if t.selection != nil {
		t.selection.add(r, position, records)
		return
	}
	t.writeAt(r, position, records)
}

// writeAt writes records of a thread's ring buffer to the trace. position must count only records that are written,
// not those that a filter dropped. Otherwise the trace would show a gap, which reports count as lost records.
func (t *processTrace) writeAt(r *ring, position uint64, records []wire.Record) {
	t.collector.written(t.collector.writer.Records(t.index, r.index, position, records))
}

// writeFacts writes the facts (names and other data of variable size) that b contains completely. b has the bytes of
// a thread's ring buffer from position on. An incomplete fact at the end is kept until its rest arrives. The caller
// holds the mutex.
func (t *processTrace) writeFacts(r *ring, position uint64, b []byte) {
	if position != r.factsEnd { // the rest of the incomplete fact will not come
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

// handFacts writes facts (names and other data of variable size) to the trace. An invalid fact is not written, and
// ends the process's connection, because a reader of the trace would refuse it. The caller holds the mutex.
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

// beginClock stores which clock the process records with, and writes it with a first sample to the trace. Without
// them, readers cannot convert the ticks of records to times.
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
