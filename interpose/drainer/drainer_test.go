package drainer

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"mtrace/collector/wire"
)

func TestLayout(t *testing.T) {
	for _, c := range []struct{ here, there uint64 }{
		{pageSize, wire.PageSize}, {ringCount, wire.RingCount}, {recordSize, wire.RecordSize},
		{recordsPerRing, wire.RecordsPerRing},
		{factsPerRing, wire.FactsPerRing}, {ringStride, wire.RingStride}, {regionRingsUsed, wire.RegionRingsUsedOffset},
		{ringHead, wire.RingHeadOffset}, {ringFactsHead, wire.RingFactsHeadOffset}, {ringTail, wire.RingTailOffset},
		{ringFactsTail, wire.RingFactsTailOffset}, {ringClaim, wire.RingClaimOffset}, {ringState, wire.RingStateOffset},
		{stateExited, uint64(wire.RingExited)}, {claimNobody, uint64(wire.ClaimNobody)},
		{claimDrainer, uint64(wire.ClaimDrainer)},
		{frameRecords, uint64(wire.FrameRecords)}, {frameFacts, uint64(wire.FrameFacts)},
	} {
		if c.here != c.there {
			t.Errorf("%d here, %d in the wire's table", c.here, c.there)
		}
	}
}

// memory is a region of a few rings. It is Go's own, so that the race detector sees all reads and writes.
func memory(ringsUsed uint32) (unsafe.Pointer, []byte) {
	words := make([]uint64, (pageSize+ringStride*int(ringsUsed))/8)
	start := unsafe.Pointer(unsafe.SliceData(words))
	*(*uint32)(unsafe.Add(start, regionRingsUsed)) = ringsUsed
	return start, unsafe.Slice((*byte)(start), len(words)*8)
}

func ringAt(start unsafe.Pointer, i uint32) ring {
	return ring{unsafe.Add(start, pageSize+uintptr(i)*ringStride), i}
}

// A host is a process for tests: it stores the sent frames, and its doorbell rings at once.
type host struct {
	mutex   sync.Mutex
	records map[uint32][]span
	facts   map[uint32][]span
	over    func() bool
	asked   bool
}

// A span is a part of a ring that was sent, or drained.
type span struct {
	position uint64
	bytes    []byte
}

func newHost(over func() bool) *host {
	return &host{records: map[uint32][]span{}, facts: map[uint32][]span{}, over: over}
}

func (h *host) keep(of map[uint32][]span, ring uint32, position uint64, a, b []byte) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	of[ring] = append(of[ring], span{position, append(append([]byte{}, a...), b...)})
}

func (h *host) Send(kind, ring uint32, position uint64, a, b []byte) bool {
	if kind == frameFacts {
		h.keep(h.facts, ring, position, a, b)
	} else if len(a) > 0 { // else it calls the collector
		h.keep(h.records, ring, position, a, b)
	}
	return true
}
func (h *host) Name() bool        { return !h.over() }
func (h *host) Sample() bool      { return true }
func (h *host) ThreadTimes() bool { return true }
func (h *host) AskToBeWoken() bool {
	asked := h.asked
	h.asked = true
	return asked
}
func (h *host) Wait(int) bool {
	h.asked = false
	return false
}

// record writes the next record, which holds its position, if there is space.
func (r ring) record(position uint64) bool {
	if position-r.load(ringTail) >= recordsPerRing {
		return false
	}
	slot := unsafe.Slice((*byte)(unsafe.Add(r.start, pageSize+position%recordsPerRing*recordSize)), recordSize)
	binary.LittleEndian.PutUint64(slot, position)
	atomic.StoreUint64(r.word64(ringHead), position+1)
	return true
}

// fact writes eight bytes of facts, which hold their position, if there is space.
func (r ring) fact(position uint64) bool {
	if position+8-r.load(ringFactsTail) > factsPerRing {
		return false
	}
	binary.LittleEndian.PutUint64(unsafe.Slice(
		(*byte)(unsafe.Add(r.start, pageSize+recordsPerRing*recordSize+position%factsPerRing)), 8), position)
	atomic.StoreUint64(r.word64(ringFactsHead), position+8)
	return true
}

// take drains a ring like the collector does when no drainer runs.
func (r ring) take(to *host) {
	if !atomic.CompareAndSwapUint32(r.word32(ringClaim), claimNobody, uint32(wire.ClaimCollector)) {
		return
	}
	head, tail := r.load(ringHead), r.load(ringTail)
	a, b := circular(unsafe.Add(r.start, pageSize), recordsPerRing*recordSize, tail%recordsPerRing*recordSize,
		(head-tail)*recordSize)
	if head > tail {
		to.keep(to.records, r.index, tail, a, b)
	}
	atomic.StoreUint64(r.word64(ringTail), head)
	atomic.StoreUint32(r.word32(ringClaim), claimNobody)
}

// Threads that write as fast as they can, the drainer, and the collector, which drains the same rings: each record and
// each fact is sent once. The race detector also checks when each side may touch a slot.
func TestEachRecordOnce(t *testing.T) {
	const threads, records, facts = 3, 3*recordsPerRing + 77, factsPerRing + 800
	start, _ := memory(threads)
	var writing atomic.Int32
	writing.Store(threads)
	h := newHost(func() bool {
		// before the rings: records that a thread writes after the rings were read would stay there
		if writing.Load() > 0 {
			return false
		}
		for i := range uint32(threads) {
			if !ringAt(start, i).look().empty() {
				return false
			}
		}
		return true
	})
	var all sync.WaitGroup
	for i := range uint32(threads) {
		all.Go(func() {
			defer writing.Add(-1)
			r := ringAt(start, i)
			for position, fact := uint64(0), uint64(0); position < records || fact < facts; {
				if position < records && r.record(position) {
					position++
				}
				if fact < facts && (position%7 == 0 || position == records) && r.fact(fact) {
					fact += 8
				}
			}
			atomic.StoreUint32(r.word32(ringState), stateExited)
		})
	}
	all.Go(func() {
		random := rand.New(rand.NewPCG(1, 2))
		for writing.Load() > 0 {
			ringAt(start, uint32(random.IntN(threads))).take(h)
		}
	})
	Drain(start, h)
	all.Wait()
	for i := range uint32(threads) {
		checkOnce(t, i, h.records[i], records, recordSize, recordSize)
		checkOnce(t, i, h.facts[i], facts, 8, 1)
	}
}

// For a ring that fills fast the drainer calls the collector, which drains it. The drainer used to send such a ring.
// While a program that saturated the processors kept writing, it sent without end: nearly all of a burst in one ring
// went through the socket, the collector could not read the ring, and records that the socket was too slow for were
// lost.
func TestCallsBeforeItSends(t *testing.T) {
	start, _ := memory(1)
	h, r := newHost(nil), ringAt(start, 0)
	g := rings{start: start, process: h}
	position := uint64(0)
	fill := func(n uint64) {
		for range n {
			r.record(position)
			position++
		}
	}
	g.drain(pause)
	for _, step := range []struct {
		what   string
		more   uint64 // records, or 0 and the collector comes
		after  reason
		called bool
		sent   uint64
	}{
		{"few records", recordsPerRing/4 - 1, doorbell, false, 0},
		{"a quarter", 1, doorbell, true, 0},
		{"three eighths, and nobody came", recordsPerRing / 8, doorbell, true, 0},
		{"nobody came in the time given", 1, call, false, recordsPerRing*3/8 + 1},
		{"a quarter again", recordsPerRing / 4, doorbell, true, 0},
		{"half, and nobody came", recordsPerRing / 4, doorbell, false, recordsPerRing / 2},
		{"few, and it is only a call's time", 5, call, false, 0},
		{"a first whole pause", 1, pause, false, 0},
		{"a second one", 1, pause, false, 7},
		{"a quarter once more", recordsPerRing / 4, doorbell, true, 0},
		{"the collector came", 0, doorbell, false, 0},
		{"half, and it will come again", recordsPerRing / 2, doorbell, true, 0},
		{"it did not come in the time given", 1, call, true, 0},
		{"nor in a whole pause", 1, pause, true, 0},
		{"nor in another", 1, pause, false, recordsPerRing/2 + 3},
	} {
		taken := newHost(nil)
		if fill(step.more); step.more == 0 {
			r.take(taken)
		}
		h.records = map[uint32][]span{}
		_, called, ok := g.drain(step.after)
		sent := uint64(0)
		for _, s := range h.records[0] {
			sent += uint64(len(s.bytes)) / recordSize
		}
		if called != step.called || sent != step.sent || !ok {
			t.Errorf("%s: called %v, sent %d records, %v; not %v, %d", step.what, called, sent, ok, step.called, step.sent)
		}
	}
}

// checkOnce checks that the spans cover a ring, each position once and with its own content. Each unit of size bytes
// holds its position, and one position takes each bytes.
func checkOnce(t *testing.T, ring uint32, spans []span, want, size, each uint64) {
	t.Helper()
	next := uint64(0)
	for _, s := range spans { // the holder of the claim sends, so they are in order
		if s.position != next {
			t.Fatalf("ring %d: position %d follows %d", ring, s.position, next)
		}
		for at := uint64(0); at < uint64(len(s.bytes)); at += size {
			if got := binary.LittleEndian.Uint64(s.bytes[at:]); got != next {
				t.Fatalf("ring %d: at %d lies what belongs to %d", ring, next, got)
			}
			next += size / each
		}
	}
	if next != want {
		t.Errorf("ring %d: %d of %d were sent", ring, next, want)
	}
}

// The drainer allocates nothing: the garbage collector is never to run in the program.
func TestAllocatesNothing(t *testing.T) {
	start, _ := memory(1)
	g, r := rings{start: start, process: silent{}}, ringAt(start, 0)
	position := uint64(0)
	if n := testing.AllocsPerRun(100, func() {
		for range recordsPerRing / 2 {
			r.record(position)
			position++
		}
		r.fact(r.load(ringFactsHead))
		g.drain(pause)
	}); n != 0 {
		t.Errorf("%v allocations a round", n)
	}
}

type silent struct{}

func (silent) Send(uint32, uint32, uint64, []byte, []byte) bool { return true }
func (silent) Name() bool                                       { return true }
func (silent) Sample() bool                                     { return true }
func (silent) ThreadTimes() bool                                { return true }
func (silent) AskToBeWoken() bool                               { return false }
func (silent) Wait(int) bool                                    { return false }

// FuzzCounters: for any stray writes into a ring's counters, the drainer ends its round, and sends only content of the
// ring, at most as much as the ring holds. It used to read beyond the ring's memory, or to send without end.
func FuzzCounters(f *testing.F) {
	f.Add(uint64(5), uint64(3), uint64(8), uint64(0), uint32(0), uint32(2))
	f.Add(uint64(1)<<63, uint64(0), uint64(1)<<40, uint64(8), uint32(0), uint32(2))
	f.Add(uint64(3), uint64(5), uint64(0), uint64(8), uint32(1), uint32(1))
	start, area := memory(1)
	r := ringAt(start, 0)
	f.Fuzz(func(t *testing.T, head, tail, factsHead, factsTail uint64, claim, state uint32) {
		for offset, value := range map[uintptr]uint64{ringHead: head, ringTail: tail, ringFactsHead: factsHead,
			ringFactsTail: factsTail} {
			*r.word64(offset) = value
		}
		*r.word32(ringClaim), *r.word32(ringState) = claim, state
		h := &bounded{t: t, from: uintptr(start), to: uintptr(start) + uintptr(len(area))}
		g := rings{start: start, process: h}
		for _, after := range []reason{pause, doorbell, call, pause} {
			g.drain(after)
		}
		if h.sent > recordsPerRing*recordSize+factsPerRing {
			t.Errorf("%d bytes of one ring were sent", h.sent)
		}
		if now := *r.word32(ringClaim); now != claim {
			t.Errorf("the claim was %d and is %d", claim, now)
		}
	})
}

// bounded checks that the sent bytes are inside the memory.
type bounded struct {
	silent
	t        *testing.T
	from, to uintptr
	sent     uint64
}

func (b *bounded) Send(_, _ uint32, _ uint64, one, two []byte) bool {
	for _, piece := range [][]byte{one, two} {
		at := uintptr(unsafe.Pointer(unsafe.SliceData(piece)))
		if len(piece) > 0 && (at < b.from || at+uintptr(len(piece)) > b.to) {
			b.t.Errorf("%d bytes at %#x are not in the memory from %#x to %#x", len(piece), at, b.from, b.to)
		}
		b.sent += uint64(len(piece))
	}
	return b.sent < 1<<30 // else it may continue without end
}
