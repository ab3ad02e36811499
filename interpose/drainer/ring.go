package drainer

import (
	"sync/atomic"
	"unsafe"
)

// The rings are the shared memory as the drainer sees it.
type rings struct {
	start   unsafe.Pointer
	process Process
	looks   [ringCount]look // what the last round found
}

// drain makes one round over the rings and sends what cannot wait for the collector. Active: something was recorded, or lies there,
// since the last round. Not ok: the collector is gone.
func (g *rings) drain() (active, ok bool) {
	for i := range min(atomic.LoadUint32((*uint32)(unsafe.Add(g.start, regionRingsUsed))), ringCount) {
		r := ring{unsafe.Add(g.start, pageSize+uintptr(i)*ringStride), i}
		before, now := g.looks[i], r.look()
		g.looks[i] = now
		active = active || now != before || !now.empty()
		if now.empty() || !now.urgent() && !now.neglectedSince(before) && atomic.LoadUint32(r.word32(ringState)) != stateExited {
			continue
		}
		claim := r.word32(ringClaim)
		if !atomic.CompareAndSwapUint32(claim, claimNobody, claimDrainer) {
			continue
		}
		ok := r.sendFacts(g.process) && r.sendRecords(g.process)
		atomic.StoreUint32(claim, claimNobody)
		if !ok {
			return active, false
		}
	}
	return active, true
}

// A ring is one ring of the region.
type ring struct {
	start unsafe.Pointer
	index uint32
}

func (r ring) word32(offset uintptr) *uint32 { return (*uint32)(unsafe.Add(r.start, offset)) }
func (r ring) word64(offset uintptr) *uint64 { return (*uint64)(unsafe.Add(r.start, offset)) }

func (r ring) load(offset uintptr) uint64 { return atomic.LoadUint64(r.word64(offset)) }

// A look is what there is in a ring. Without the claim it is a hint.
type look struct{ head, tail, factsHead, factsTail uint64 }

func (r ring) look() look {
	return look{r.load(ringHead), r.load(ringTail), r.load(ringFactsHead), r.load(ringFactsTail)}
}

func (l look) empty() bool { return l.head == l.tail && l.factsHead == l.factsTail }

// urgent says that the ring is as full as when its thread rings the doorbell.
func (l look) urgent() bool {
	return l.head-l.tail >= recordsPerRing/4 || l.factsHead-l.factsTail > factsPerRing/4
}

// neglectedSince says that something has been there since another look.
func (l look) neglectedSince(before look) bool {
	return l.tail < before.head || l.factsTail < before.factsHead
}

// mostRecords bounds a frame: the slots it holds are given back before the next one is sent.
const mostRecords = recordsPerRing / 4

// sendRecords sends what is there, with the claim. Where a program has written over its counters they may say anything: more than a ring
// holds is left where it is, and the collector says so.
func (r ring) sendRecords(process Process) bool {
	for {
		head, tail := r.load(ringHead), r.load(ringTail)
		if head == tail || head-tail > recordsPerRing {
			return true
		}
		n := min(head-tail, mostRecords)
		a, b := circular(unsafe.Add(r.start, pageSize), recordsPerRing*recordSize, tail%recordsPerRing*recordSize, n*recordSize)
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

// circular is length bytes from a place on of a circular area of size bytes, in one piece or two.
func circular(area unsafe.Pointer, size, from, length uint64) (a, b []byte) {
	first := min(length, size-from)
	return unsafe.Slice((*byte)(unsafe.Add(area, from)), first), unsafe.Slice((*byte)(area), length-first)
}
