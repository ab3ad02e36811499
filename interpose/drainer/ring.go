package drainer

import (
	"sync/atomic"
	"unsafe"
)

// A rings is the shared memory as the drainer sees it.
type rings struct {
	start   unsafe.Pointer
	process Process
	looks   [ringCount]look   // the state found in the last round after a whole pause
	called  [ringCount]look   // the state when the collector was called
	left    [ringCount]uint64 // the tails after the drainer's last round
	reads   bool              // the collector reads the rings: something other than the drainer has moved a tail
}

// A reason is the event that caused another round.
type reason int

const (
	pause    reason = iota // a whole pause is over
	call                   // the time has passed that the collector had to read a ring
	doorbell               // it rang
)

// drain makes one round over the rings: it notifies the collector about rings that fill quickly, and sends records that
// the collector does not read. Sending is the exception, because the collector cannot read the ring meanwhile, and a
// program that saturates the processors can make that long. active reports that something was recorded, or is pending,
// since the last pause. called reports that the collector was notified. ok is false if the collector is gone.
func (g *rings) drain(after reason) (active, called, ok bool) {
	for i := range min(atomic.LoadUint32((*uint32)(unsafe.Add(g.start, regionRingsUsed))), ringCount) {
		r := ring{unsafe.Add(g.start, pageSize+uintptr(i)*ringStride), i}
		before, now := g.looks[i], r.look()
		if after == pause {
			g.looks[i] = now
		}
		active = active || now != before || !now.empty()
		g.reads = g.reads || now.tail != g.left[i]
		ok := true
		switch {
		case now.empty():
		case atomic.LoadUint32(r.word32(ringState)) == stateExited, after == pause && now.neglectedSince(before):
			ok = r.send(g.process)
		case !now.filled(4):
		case g.reads || !now.sameTails(g.called[i]) || after == doorbell && !now.filled(2):
			called, g.called[i] = true, now
			ok = g.process.Send(frameRecords, r.index, now.tail, nil, nil)
		default:
			ok = r.send(g.process)
		}
		g.left[i] = r.load(ringTail)
		if !ok {
			return active, called, false
		}
	}
	return active, called, true
}

// A ring is one ring of the region.
type ring struct {
	start unsafe.Pointer
	index uint32
}

func (r ring) word32(offset uintptr) *uint32 { return (*uint32)(unsafe.Add(r.start, offset)) }
func (r ring) word64(offset uintptr) *uint64 { return (*uint64)(unsafe.Add(r.start, offset)) }

func (r ring) load(offset uintptr) uint64 { return atomic.LoadUint64(r.word64(offset)) }

// A look is the state of a ring at an instant. Without the claim it is only a hint.
type look struct{ head, tail, factsHead, factsTail uint64 }

func (r ring) look() look {
	return look{r.load(ringHead), r.load(ringTail), r.load(ringFactsHead), r.load(ringFactsTail)}
}

func (l look) empty() bool { return l.head == l.tail && l.factsHead == l.factsTail }

// filled reports whether at least one of parts equal parts of the ring is full. A thread rings the doorbell when a
// quarter is full.
func (l look) filled(parts uint64) bool {
	return l.head-l.tail >= recordsPerRing/parts || l.factsHead-l.factsTail > factsPerRing/parts
}

// sameTails reports whether nothing was consumed since an earlier look.
func (l look) sameTails(before look) bool {
	return l.tail == before.tail && l.factsTail == before.factsTail
}

// neglectedSince reports whether records or facts have been waiting since an earlier look.
func (l look) neglectedSince(before look) bool {
	return l.tail < before.head || l.factsTail < before.factsHead
}

// send sends the content of the ring, unless another side drains it.
func (r ring) send(process Process) bool {
	claim := r.word32(ringClaim)
	if !atomic.CompareAndSwapUint32(claim, claimNobody, claimDrainer) {
		return true
	}
	ok := r.sendFacts(process) && r.sendRecords(process, r.load(ringHead))
	atomic.StoreUint32(claim, claimNobody)
	return ok
}

// mostRecords is the maximum number of records in a frame: their slots are released before the next frame is sent.
const mostRecords = recordsPerRing / 4

// sendRecords sends the records up to a position; the caller holds the claim. If the program has overwritten its
// counters, they can have any value: more records than a ring holds are left in place, and the collector reports it.
func (r ring) sendRecords(process Process, head uint64) bool {
	for {
		tail := r.load(ringTail)
		if head == tail || head-tail > recordsPerRing {
			return true
		}
		n := min(head-tail, mostRecords)
		a, b := circular(unsafe.Add(r.start, pageSize), recordsPerRing*recordSize, tail%recordsPerRing*recordSize,
			n*recordSize)
		if !process.Send(frameRecords, r.index, tail, a, b) {
			return false
		}
		atomic.StoreUint64(r.word64(ringTail), tail+n)
	}
}

// sendFacts is sendRecords for facts.
func (r ring) sendFacts(process Process) bool {
	head, tail := r.load(ringFactsHead), r.load(ringFactsTail)
	if head == tail || head-tail > factsPerRing {
		return true
	}
	a, b := circular(unsafe.Add(r.start, pageSize+recordsPerRing*recordSize), factsPerRing, tail%factsPerRing, head-tail)
	if !process.Send(frameFacts, r.index, tail, a, b) {
		return false
	}
	atomic.StoreUint64(r.word64(ringFactsTail), head)
	return true
}

// circular returns length bytes from an offset of a circular area of size bytes, in one piece or two.
func circular(area unsafe.Pointer, size, from, length uint64) (a, b []byte) {
	first := min(length, size-from)
	return unsafe.Slice((*byte)(unsafe.Add(area, from)), first), unsafe.Slice((*byte)(area), length-first)
}
