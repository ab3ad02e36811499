// Package wiretest does in Go what the shim does in C: it makes a region, records calls into its rings and drains them
// into frames. Tests and benchmarks of the receiving side use it in processes of their own.
package wiretest

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"mtrace/collector/wire"
)

// A Region is a region as its maker has it.
type Region struct {
	wire.Region
	memory []byte
}

// Format allocates memory, which must be wire.RegionSize zero bytes, the region of process pid, recording with a clock.
func Format(memory []byte, pid int, clock wire.ClockKind, timebaseNumer, timebaseDenom uint32,
	first wire.ClockSample) (Region, error) {
	put := binary.LittleEndian
	put.PutUint32(memory[wire.RegionVersionOffset:], wire.Version)
	put.PutUint32(memory[wire.RegionPIDOffset:], uint32(pid))
	put.PutUint32(memory[wire.RegionClockKindOffset:], uint32(clock))
	put.PutUint32(memory[wire.RegionTimebaseOffset:], timebaseNumer)
	put.PutUint32(memory[wire.RegionTimebaseOffset+4:], timebaseDenom)
	put.PutUint64(memory[wire.RegionFirstSampleOffset:], uint64(first.Ticks))
	put.PutUint64(memory[wire.RegionFirstSampleOffset+8:], uint64(first.Nanos))
	g := Region{memory: memory}
	atomic.StoreUint64(g.word64(wire.RegionMagicOffset), wire.RegionMagic)
	var err error
	g.Region, err = wire.OpenRegion(memory)
	return g, err
}

func (g Region) word64(offset int) *uint64 { return (*uint64)(unsafe.Pointer(&g.memory[offset])) }
func (g Region) word32(offset int) *uint32 { return (*uint32)(unsafe.Pointer(&g.memory[offset])) }

// Count adds n to the counter at one of the Region*Offset counters.
func (g Region) Count(offset int, n uint64) { atomic.AddUint64(g.word64(offset), n) }

// Sample writes the region's latest clock sample.
func (g Region) Sample(s wire.ClockSample) {
	sequence := atomic.LoadUint64(g.word64(wire.RegionLatestSampleOffset))
	atomic.StoreUint64(g.word64(wire.RegionLatestSampleOffset), sequence+1)
	atomic.StoreUint64(g.word64(wire.RegionLatestSampleOffset+8), uint64(s.Ticks))
	atomic.StoreUint64(g.word64(wire.RegionLatestSampleOffset+16), uint64(s.Nanos))
	atomic.StoreUint64(g.word64(wire.RegionLatestSampleOffset), sequence+2)
}

// A Thread records calls into the ring it has.
type Thread struct {
	wire.Ring
	Index  uint16
	region Region
	start  int // of the ring, in the region
	head   uint64
	facts  uint64
}

// Thread takes a free ring for the thread of that system id, and publishes its ThreadStart at begin; false when every
// ring is in use, which is counted.
func (g Region) Thread(id uint64, begin wire.Ticks) (*Thread, bool) {
	for i := range wire.RingCount {
		r := g.Ring(i)
		start := wire.PageSize + i*wire.RingStride
		state := r.State()
		drained := r.Head() == r.Tail() && r.FactsHead() == r.FactsTail()
		if state == wire.RingLive || !drained || !atomic.CompareAndSwapUint32(g.word32(start+wire.RingStateOffset),
			uint32(state), uint32(wire.RingLive)) {
			continue
		}
		for used := g.RingsUsed(); used <= i; used = g.RingsUsed() {
			atomic.CompareAndSwapUint32(g.word32(wire.RegionRingsUsedOffset), uint32(used), uint32(i+1))
		}
		atomic.StoreUint64(g.word64(start+wire.RingThreadOffset), id)
		t := &Thread{Ring: r, Index: uint16(i), region: g, start: start, head: r.Head(), facts: r.FactsHead()}
		t.Record(wire.Record{Begin: begin, End: begin, Arg: id, Call: wire.CallThreadStart})
		return t, true
	}
	g.Count(wire.RegionUnringedOffset, 1)
	return nil, false
}

// Opened is the ring of a thread that has one, to write to its counters.
func (g Region) Opened(i int) *Thread {
	return &Thread{Ring: g.Ring(i), Index: uint16(i), region: g, start: wire.PageSize + i*wire.RingStride}
}

// Enter sets the thread's current call.
func (t *Thread) Enter(begin wire.Ticks, object wire.ObjectID, call wire.Call) {
	atomic.StoreUint64(t.region.word64(t.start+wire.RingCurrentOffset), uint64(begin))
	atomic.StoreUint64(t.region.word64(t.start+wire.RingCurrentOffset+8), uint64(object)|uint64(call)<<32)
}

// Await sets what the current call waits for.
func (t *Thread) Await(value uint64, flags wire.Flags) {
	atomic.StoreUint64(t.region.word64(t.start+wire.RingAwaitedOffset), value)
	atomic.StoreUint64(t.region.word64(t.start+wire.RingAwaitedOffset+8), uint64(flags))
}

// Block sets the wait for a lock or a signal that the thread is inside.
func (t *Thread) Block(b wire.Blocked) {
	last := uint64(b.Call) | uint64(b.Flags)<<16
	if b.Interpreter {
		last |= 1 << 32
	}
	for i, word := range [...]uint64{uint64(b.Begin), b.Address, b.Holder, last} {
		atomic.StoreUint64(t.region.word64(t.start+wire.RingBlockedOffset+8*i), word)
	}
}

// Leave clears the thread's current call.
func (t *Thread) Leave() { atomic.StoreUint64(t.region.word64(t.start+wire.RingCurrentOffset+8), 0) }

// Count adds n to one of the ring's counters that only grow.
func (t *Thread) Count(offset int, n uint64) { atomic.AddUint64(t.region.word64(t.start+offset), n) }

// Full says whether n more records find no room now.
func (t *Thread) Full(n int) bool { return t.head+uint64(n)-t.Tail() > wire.RecordsPerRing }

// Drained says whether all that the ring holds was taken out of it.
func (t *Thread) Drained() bool {
	return atomic.LoadUint64(t.region.word64(t.start+wire.RingHeadOffset)) == t.Tail()
}

// Record publishes records together, or drops and counts them when there is no room.
func (t *Thread) Record(records ...wire.Record) bool {
	if t.Full(len(records)) {
		atomic.AddUint64(t.region.word64(t.start+wire.RingDroppedOffset), uint64(len(records)))
		return false
	}
	for _, r := range records {
		slot := t.region.memory[t.start+wire.PageSize+int(t.head%wire.RecordsPerRing)*wire.RecordSize:]
		wire.AppendRecord(slot[:0:wire.RecordSize], r)
		t.head++
	}
	atomic.StoreUint64(t.region.word64(t.start+wire.RingHeadOffset), t.head)
	return true
}

// Fact publishes a fact, or drops and counts it when there is no room.
func (t *Thread) Fact(f wire.Fact) bool {
	b := wire.AppendFact(nil, f)
	if t.facts+uint64(len(b))-t.FactsTail() > wire.FactsPerRing {
		atomic.AddUint64(t.region.word64(t.start+wire.RingFactsDroppedOffset), 1)
		return false
	}
	first, second := t.FactBytes(t.facts, t.facts+uint64(len(b)))
	copy(second, b[copy(first, b):])
	t.facts += uint64(len(b))
	atomic.StoreUint64(t.region.word64(t.start+wire.RingFactsHeadOffset), t.facts)
	return true
}

// Exit leaves the ring to a next thread.
func (t *Thread) Exit() {
	atomic.StoreUint32(t.region.word32(t.start+wire.RingStateOffset), uint32(wire.RingExited))
}
