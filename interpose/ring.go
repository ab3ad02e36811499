package main

// #include "drainer.h"
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// A region is the shared memory as the drainer sees it. The layout is collector/wire/layout.go's, through wire.h; the package
// itself is not imported because it brings fmt, and with it os.
type region struct {
	start *C.uint8_t
	looks [C.MT_RING_COUNT]look // what the last round found
}

func (g *region) word32(offset uintptr) *uint32 {
	return (*uint32)(unsafe.Add(unsafe.Pointer(g.start), offset))
}

func (g *region) ring(i uint32) ring {
	return ring{unsafe.Add(unsafe.Pointer(g.start), C.MT_PAGE_SIZE+uintptr(i)*C.MT_RING_STRIDE), C.uint(i)}
}

// A ring is one ring of the region. Its methods need the claim.
type ring struct {
	start unsafe.Pointer
	index C.uint
}

func (r ring) word32(offset uintptr) *uint32 { return (*uint32)(unsafe.Add(r.start, offset)) }
func (r ring) word64(offset uintptr) *uint64 { return (*uint64)(unsafe.Add(r.start, offset)) }

func (r ring) load(offset uintptr) uint64 { return atomic.LoadUint64(r.word64(offset)) }

// A look is what there is in a ring. Without the claim it is a hint.
type look struct{ head, tail, factsHead, factsTail uint64 }

func (r ring) look() look {
	return look{r.load(C.MT_RING_HEAD_OFFSET), r.load(C.MT_RING_TAIL_OFFSET), r.load(C.MT_RING_FACTS_HEAD_OFFSET), r.load(C.MT_RING_FACTS_TAIL_OFFSET)}
}

func (l look) empty() bool { return l.head == l.tail && l.factsHead == l.factsTail }

// urgent says that the ring is as full as when its thread rings the doorbell.
func (l look) urgent() bool {
	return l.head-l.tail >= C.MT_RECORDS_PER_RING/4 || l.factsHead-l.factsTail > C.MT_FACTS_PER_RING/4
}

// neglectedSince says that something has been there since another look.
func (l look) neglectedSince(before look) bool {
	return l.tail < before.head || l.factsTail < before.factsHead
}

// mostRecords bounds a frame: the slots it holds are given back before the next one is sent.
const mostRecords = C.MT_RECORDS_PER_RING / 4

func (r ring) sendRecords() bool {
	const records = C.MT_PAGE_SIZE
	for {
		head, tail := r.load(C.MT_RING_HEAD_OFFSET), r.load(C.MT_RING_TAIL_OFFSET)
		if head == tail {
			return true
		}
		n := min(head-tail, mostRecords)
		if !r.send(C.MT_FRAME_RECORDS, tail, records, C.MT_RECORDS_PER_RING*C.MT_RECORD_SIZE, tail*C.MT_RECORD_SIZE, n*C.MT_RECORD_SIZE) {
			return false
		}
		atomic.StoreUint64(r.word64(C.MT_RING_TAIL_OFFSET), tail+n)
	}
}

func (r ring) sendFacts() bool {
	const facts = C.MT_PAGE_SIZE + C.MT_RECORDS_PER_RING*C.MT_RECORD_SIZE
	head, tail := r.load(C.MT_RING_FACTS_HEAD_OFFSET), r.load(C.MT_RING_FACTS_TAIL_OFFSET)
	if head == tail {
		return true
	}
	if !r.send(C.MT_FRAME_FACTS, tail, facts, C.MT_FACTS_PER_RING, tail, head-tail) {
		return false
	}
	atomic.StoreUint64(r.word64(C.MT_RING_FACTS_TAIL_OFFSET), head)
	return true
}

// send sends length bytes of a circular area of size bytes, from byte position from on.
func (r ring) send(kind C.uint, position uint64, area, size uintptr, from, length uint64) bool {
	at := uintptr(from % uint64(size))
	first := min(uintptr(length), size-at)
	start := unsafe.Add(r.start, area)
	return C.mt_drainer_send(kind, r.index, C.uint64_t(position), unsafe.Add(start, at), C.size_t(first), start, C.size_t(uintptr(length)-first)) != 0
}
