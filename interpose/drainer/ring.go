package drainer

import (
	"sync/atomic"
	"unsafe"
)

// A rings is the drainer's view of the shared memory: the rings (buffers of records) of all threads, and their state
// in earlier rounds.
type rings struct {
	start   unsafe.Pointer
	process Process
	looks   [ringCount]ringSnapshot // the state found in the last round after a roundPause
	called  [ringCount]ringSnapshot // the state when the collector was last notified about the ring
	left    [ringCount]uint64       // the tails (numbers of freed records) after the drainer's last round
	reads   bool                    // the collector reads the rings: something other than the drainer has moved a tail
}

// A reason says why the drainer makes another round over the rings, in which it looks for records to send.
type reason int

const (
	pause    reason = iota // roundPause has passed since the last round of this kind
	call                   // hurryPause has passed since the collector was notified about a ring
	doorbell               // a thread that wrote a record rang the doorbell to wake the drainer
)

// drain makes one round over the rings (the threads' buffers of records). It notifies the collector about rings that
// fill quickly, and sends the records of rings that the collector does not read. Sending is the exception: the
// collector cannot read a ring meanwhile, and on a busy machine sending takes long.
//
// active is true if something was recorded since the last pause, or is not read yet. called is true if the collector
// was notified. ok is false if the collector is gone.
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

// A ring is one thread's buffer of records and facts. start is its address in the shared memory.
type ring struct {
	start unsafe.Pointer
	index uint32
}

func (r ring) word32(offset uintptr) *uint32 { return (*uint32)(unsafe.Add(r.start, offset)) }
func (r ring) word64(offset uintptr) *uint64 { return (*uint64)(unsafe.Add(r.start, offset)) }

func (r ring) load(offset uintptr) uint64 { return atomic.LoadUint64(r.word64(offset)) }

// A ringSnapshot is the state of a ring (a thread's buffer of records) at one moment. Unless the drainer holds the
// ring's claim, it is only a hint, because the collector may move the tails at any time.
type ringSnapshot struct{ head, tail, factsHead, factsTail uint64 }

func (r ring) look() ringSnapshot {
	return ringSnapshot{r.load(ringHead), r.load(ringTail), r.load(ringFactsHead), r.load(ringFactsTail)}
}

func (l ringSnapshot) empty() bool { return l.head == l.tail && l.factsHead == l.factsTail }

// filled reports whether at least the given fraction of the ring (the thread's buffer of records) is full: filled(4)
// means a quarter. At a quarter, the thread that writes into the ring wakes the drainer.
func (l ringSnapshot) filled(parts uint64) bool {
	return l.head-l.tail >= recordsPerRing/parts || l.factsHead-l.factsTail > factsPerRing/parts
}

// sameTails reports whether nobody has consumed records or facts since the earlier look `before`.
func (l ringSnapshot) sameTails(before ringSnapshot) bool {
	return l.tail == before.tail && l.factsTail == before.factsTail
}

// neglectedSince reports whether records or facts that existed at the earlier look `before` were still not read: the
// collector does not read this ring.
func (l ringSnapshot) neglectedSince(before ringSnapshot) bool {
	return l.tail < before.head || l.factsTail < before.factsHead
}

// send sends everything in the ring (a thread's buffer of records) and frees the space, unless the collector holds
// the ring's claim: otherwise both would send the same records. It returns false if the collector is gone.
func (r ring) send(process Process) bool {
	claim := r.word32(ringClaim)
	if !atomic.CompareAndSwapUint32(claim, claimNobody, claimDrainer) {
		return true
	}
	ok := r.sendFacts(process) && r.sendRecords(process, r.load(ringHead))
	atomic.StoreUint32(claim, claimNobody)
	return ok
}

// sendRecords sends the records before position `head`, at most two chunks in a frame. After each frame it frees the
// slots of the records sent. The caller holds the ring's claim, so that the collector does not read the ring at the
// same time. If the ring's counters show more records than a ring holds, a memory error of the program has overwritten
// them. Then nothing is sent, and the collector reports the damage.
func (r ring) sendRecords(process Process, head uint64) bool {
	for {
		tail := r.load(ringTail)
		if head == tail || head-tail > recordsPerRing {
			return true
		}
		a := r.chunk(tail, head)
		b := r.chunk(tail+uint64(len(a))/recordSize, head)
		if !process.Send(frameRecords, r.index, tail, a, b) {
			return false
		}
		atomic.StoreUint64(r.word64(ringTail), tail+uint64(len(a)+len(b))/recordSize)
	}
}

// chunk returns the memory of records, beginning at position `from`. It ends at position `to` (exclusive) or at the
// end of the chunk, whichever comes first.
func (r ring) chunk(from, to uint64) []byte {
	i := from / chunkRecords % chunksPerRing
	chunk := i ^ uint64(*(*uint8)(unsafe.Add(r.start, ringChunks+uintptr(i))))%chunksPerRing
	n := min(chunkRecords-from%chunkRecords, to-from)
	slot := uintptr(chunk*chunkRecords + from%chunkRecords)
	return unsafe.Slice((*byte)(unsafe.Add(r.start, pageSize+slot*recordSize)), n*recordSize)
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

// circular returns length bytes of a circular buffer of size bytes, beginning at offset `from`. If the bytes wrap
// around, b is the part at the buffer's start; otherwise b is empty.
func circular(area unsafe.Pointer, size, from, length uint64) (a, b []byte) {
	first := min(length, size-from)
	return unsafe.Slice((*byte)(unsafe.Add(area, from)), first), unsafe.Slice((*byte)(area), length-first)
}
