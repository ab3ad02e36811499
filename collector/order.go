package collector

import (
	"fmt"
	"time"

	"mtrace/collector/wire"
)

// A recordOrder assembles the content of a process's ring buffers, each position once and in order, and passes it to
// the trace.
type recordOrder struct {
	trace *processTrace
	began time.Time // when the connection was accepted

	// Guarded by the trace's mutex.
	rings   [wire.RingCount]*ring
	missing uint64 // number of records that never arrived although later records of their ring did
}

// ring returns the state of the ring buffer with this index; it creates the state at the first call.
func (o *recordOrder) ring(index uint16) *ring {
	o.trace.mutex.Lock()
	defer o.trace.mutex.Unlock()
	if o.rings[index] == nil {
		r := &ring{index: index}
		r.records.limit, r.facts.limit = maxHeld, maxHeldFacts
		r.records.emit = func(position uint64, records []wire.Record) { o.trace.writeRecords(r, position, records) }
		r.facts.emit = func(position uint64, facts []byte) { o.trace.writeFacts(r, position, facts) }
		o.rings[index] = r
	}
	return o.rings[index]
}

func (o *recordOrder) joinRecords(r *ring, position uint64, records []wire.Record) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	o.trace.mutex.Lock()
	defer o.trace.mutex.Unlock()
	o.trace.add()
	if err := o.checkPosition(r, position); err != nil {
		return err
	}
	if err := r.records.add(position, records); err != nil {
		return fmt.Errorf("ring %d: %w", r.index, err)
	}
	return nil
}

func (o *recordOrder) joinFacts(r *ring, position uint64, facts []byte) error {
	o.trace.mutex.Lock()
	defer o.trace.mutex.Unlock()
	o.trace.add()
	if err := r.facts.add(position, facts); err != nil {
		return fmt.Errorf("facts of ring %d: %w", r.index, err)
	}
	return o.trace.failure
}
