package wire

import (
	"fmt"
	"iter"
	"sync/atomic"
	"unsafe"
)

// A Region is the mapped shared memory of a traced process, as its reader sees it: the collector, or the drainer
// inside the process. The process writes to it all the time. So the reader loads each changing word atomically, and
// checks each value before using it.
type Region struct{ memory []byte }

// OpenRegion checks that memory is a region of this version. memory must be the whole region, and must stay mapped
// while the Region is used.
func OpenRegion(memory []byte) (Region, error) {
	g := Region{memory}
	switch {
	case len(memory) != RegionSize:
		return g, fmt.Errorf("the shared memory has %d bytes instead of the %d of wire version %d; "+
			"use the library and the mtrace of the same build", len(memory), RegionSize, Version)
	case uintptr(unsafe.Pointer(&memory[0]))%8 != 0:
		return g, fmt.Errorf("region: not aligned to 8 bytes")
	case g.load64(RegionMagicOffset) != RegionMagic:
		return g, fmt.Errorf("the shared memory begins with %#016x instead of %#016x; "+
			"use the library and the mtrace of the same build", g.load64(RegionMagicOffset), RegionMagic)
	case g.load32(RegionVersionOffset) != Version:
		return g, fmt.Errorf("the shared memory has version %d, but this collector reads %d; "+
			"use the library and the mtrace of the same build", g.load32(RegionVersionOffset), Version)
	}
	switch clock := g.Clock(); clock {
	case ClockNanoseconds, ClockTSC:
	case ClockMach:
		if numer, denom := g.Timebase(); numer == 0 || denom == 0 {
			return g, fmt.Errorf("region: timebase %d/%d", numer, denom)
		}
	default:
		return g, fmt.Errorf("region: unknown clock %d", clock)
	}
	return g, nil
}

func (g Region) load32(offset int) uint32 {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&g.memory[offset])))
}

func (g Region) load64(offset int) uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&g.memory[offset])))
}

// PID returns the id of the process that created the region, in the process's own pid namespace.
func (g Region) PID() int { return int(g.load32(RegionPIDOffset)) }

// Clock returns the kind of clock from which the times of the records come.
func (g Region) Clock() ClockKind { return ClockKind(g.load32(RegionClockKindOffset)) }

// Timebase returns how many nanoseconds a tick of ClockMach takes, as a fraction.
func (g Region) Timebase() (numer, denom uint32) {
	return g.load32(RegionTimebaseOffset), g.load32(RegionTimebaseOffset + 4)
}

// RingsUsed returns how many ring buffers were ever used. If damaged memory has a number above RingCount, it
// returns RingCount.
func (g Region) RingsUsed() int { return int(min(g.load32(RegionRingsUsedOffset), RingCount)) }

// FirstSample returns the clock sample that was taken when the region was created.
func (g Region) FirstSample() ClockSample {
	return ClockSample{Ticks(g.load64(RegionFirstSampleOffset)), int64(g.load64(RegionFirstSampleOffset + 8))}
}

// LatestSample returns the last clock sample. It returns false if there is none, or if the sample is being written,
// or if the process died while it wrote the sample.
func (g Region) LatestSample() (ClockSample, bool) {
	for range 8 {
		before := g.load64(RegionLatestSampleOffset)
		s := ClockSample{Ticks(g.load64(RegionLatestSampleOffset + 8)), int64(g.load64(RegionLatestSampleOffset + 16))}
		if after := g.load64(RegionLatestSampleOffset); before == after && before != 0 && before%2 == 0 {
			return s, true
		}
	}
	return ClockSample{}, false
}

// A Losses counts what a process could not record, over all of its threads: records of threads for which no ring
// buffer was free (Unringed), objects that got no number because the table of objects was full (Unnumbered), children
// by fork without exec (Forks), and calls on threads that were exiting or inside the tracer (Rejected).
type Losses struct {
	Unringed, Unnumbered, Forks, Rejected uint64
}

// SetEnded tells the process that its counters are about to be read for the last time. A process that later counts
// something sees the mark, and knows that the count does not reach the trace.
func (g Region) SetEnded() {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&g.memory[RegionEndedOffset])), 1)
}

// Losses reads the counts of everything that the process could not record.
func (g Region) Losses() Losses {
	return Losses{g.load64(RegionUnringedOffset), g.load64(RegionUnnumberedOffset), g.load64(RegionForksOffset),
		g.load64(RegionRejectedOffset)}
}

// Alive counts objects of one kind: created ones (Made), freed ones (Freed), and the largest number that existed at
// the same time (Most).
type Alive struct {
	Made  uint64 `json:"made"`
	Freed uint64 `json:"freed"`
	Most  uint64 `json:"most"`
}

// CommandBuffers reads how many command buffers the process created and freed, and the largest number that existed at
// the same time.
func (g Region) CommandBuffers() Alive {
	return Alive{g.load64(RegionBuffersMadeOffset), g.load64(RegionBuffersFreedOffset),
		g.load64(RegionBuffersMostOffset)}
}

// Encoders reads how many encoders the process created, freed, and had at the same time.
func (g Region) Encoders() Alive {
	return Alive{g.load64(RegionEncodersMadeOffset), g.load64(RegionEncodersFreedOffset),
		g.load64(RegionEncodersMostOffset)}
}

// Ring returns the ring buffer with index i, which must be less than RingCount; otherwise it panics.
func (g Region) Ring(i int) Ring {
	start := PageSize + i*RingStride
	return Ring{g.memory[start : start+RingStride : start+RingStride]}
}

// A Ring is one ring buffer of a Region. Its methods are for the reader of the ring. Methods whose comment says so
// may be called only by the side that holds the claim (see TryClaim).
type Ring struct{ memory []byte }

func (r Ring) word32(offset int) *uint32 { return (*uint32)(unsafe.Pointer(&r.memory[offset])) }
func (r Ring) word64(offset int) *uint64 { return (*uint64)(unsafe.Pointer(&r.memory[offset])) }

// Head returns how many records the thread has published. All records before that position can be read completely,
// because the atomic load pairs with the release store of the thread.
func (r Ring) Head() uint64 { return atomic.LoadUint64(r.word64(RingHeadOffset)) }

// Tail returns how many records were read and released; the thread may overwrite their slots.
func (r Ring) Tail() uint64 { return atomic.LoadUint64(r.word64(RingTailOffset)) }

// SetTail releases the slots before position, which the thread may overwrite from then on. The caller must hold the
// ring buffer's claim (see TryClaim).
func (r Ring) SetTail(position uint64) { atomic.StoreUint64(r.word64(RingTailOffset), position) }

// FactsHead returns how many bytes of facts (names and other data of variable size) the thread has published.
func (r Ring) FactsHead() uint64 { return atomic.LoadUint64(r.word64(RingFactsHeadOffset)) }

// FactsTail returns how many bytes of facts (names and other data of variable size) were read and released.
func (r Ring) FactsTail() uint64 { return atomic.LoadUint64(r.word64(RingFactsTailOffset)) }

// SetFactsTail releases the bytes of facts (names and other data of variable size) before position, which the thread
// may overwrite from then on. The caller must hold the ring buffer's claim (see TryClaim).
func (r Ring) SetFactsTail(position uint64) {
	atomic.StoreUint64(r.word64(RingFactsTailOffset), position)
}

// Dropped returns how many records were dropped because the ring buffer was full.
func (r Ring) Dropped() uint64 { return atomic.LoadUint64(r.word64(RingDroppedOffset)) }

// FactsDropped returns how many facts (names and other data of variable size) were dropped because the ring of facts
// was full.
func (r Ring) FactsDropped() uint64 { return atomic.LoadUint64(r.word64(RingFactsDroppedOffset)) }

// State returns whether the ring buffer is free, in use by a thread, or left by a thread that exited.
func (r Ring) State() RingState { return RingState(atomic.LoadUint32(r.word32(RingStateOffset))) }

// Thread returns the system's id of the thread that uses the ring buffer or used it last.
func (r Ring) Thread() uint64 { return atomic.LoadUint64(r.word64(RingThreadOffset)) }

// TryClaim makes side the only reader of the ring buffer, and returns false if another side is reading it. Two
// readers would deliver records twice.
func (r Ring) TryClaim(side Claim) bool {
	return atomic.CompareAndSwapUint32(r.word32(RingClaimOffset), uint32(ClaimNobody), uint32(side))
}

// Unclaim lets the other side read the ring buffer. Call it after the last SetTail and SetFactsTail, because the other
// side may then change the tails.
func (r Ring) Unclaim() { atomic.StoreUint32(r.word32(RingClaimOffset), uint32(ClaimNobody)) }

// Claimed returns which side is reading the ring buffer now.
func (r Ring) Claimed() Claim { return Claim(atomic.LoadUint32(r.word32(RingClaimOffset))) }

// An Audit checks that no command buffers were missed. An internal function of Metal, which every command buffer
// passes, counts them a second time; the methods that the tracer hooks for recording all call it.
type Audit struct {
	Reached uint64 `json:"reached"` // command buffers that passed the internal function
	Missed  uint64 `json:"missed"`  // command buffers among them for which the hooks recorded no call
}

// Add adds the counts of b to a, to sum up the ring buffers of a process.
func (a *Audit) Add(b Audit) { a.Reached, a.Missed = a.Reached+b.Reached, a.Missed+b.Missed }

// Seen returns how many of the command buffers that Metal processed were recorded.
func (a Audit) Seen() uint64 { return a.Reached - min(a.Reached, a.Missed) }

// Commits returns how many command buffers Metal's queues accepted from the threads that used the ring buffer, and for
// how many of them no call of commit was recorded.
func (r Ring) Commits() Audit {
	return Audit{atomic.LoadUint64(r.word64(RingCommitsOffset)), atomic.LoadUint64(r.word64(RingCommitsMissedOffset))}
}

// Completions returns for how many command buffers Metal reported the completion to their queue, on threads that used
// the ring buffer, and for how many of them no completion was recorded.
func (r Ring) Completions() Audit {
	return Audit{atomic.LoadUint64(r.word64(RingCompletionsOffset)),
		atomic.LoadUint64(r.word64(RingCompletionsMissedOffset))}
}

// Nested returns how many calls of a family of classes were not recorded because they were made inside a recorded
// call of the same family. f must be below NestedFamilies.
func (r Ring) Nested(f Family) uint64 {
	return atomic.LoadUint64(r.word64(RingNestedOffset + 8*int(f)))
}

// Current returns the call that the thread is executing: its begin, its object and its number. The number is CallNone
// if there is no such call.
func (r Ring) Current() (begin Ticks, object ObjectID, call Call) {
	rest := atomic.LoadUint64(r.word64(RingCurrentOffset + 8))
	begin = Ticks(atomic.LoadUint64(r.word64(RingCurrentOffset)))
	return begin, ObjectID(rest), Call(rest >> 32)
}

// Awaited returns two further values if the current call is a wait: the event's value for which the thread waits, and
// the flags that the call's record will have.
func (r Ring) Awaited() (value uint64, flags Flags) {
	return atomic.LoadUint64(r.word64(RingAwaitedOffset)), Flags(atomic.LoadUint64(r.word64(RingAwaitedOffset + 8)))
}

// A Blocked is a wait for a lock or a signal that has not ended.
type Blocked struct {
	Begin       Ticks
	Address     uint64 // address of the lock, the condition variable or the semaphore
	Holder      uint64 // the system's id of the thread that held the lock when the wait began; 0 when not known
	Call        Call   // CallNone when the thread is in no such wait
	Flags       Flags
	Interpreter bool // the lock is a language interpreter's, such as the GIL
}

// Blocked returns the wait for a lock or a signal in which the thread is blocked; its Call is CallNone if there is
// none.
func (r Ring) Blocked() Blocked {
	last := atomic.LoadUint64(r.word64(RingBlockedOffset + 24)) // the thread stores this word last
	return Blocked{
		Begin:       Ticks(atomic.LoadUint64(r.word64(RingBlockedOffset))),
		Address:     atomic.LoadUint64(r.word64(RingBlockedOffset + 8)),
		Holder:      atomic.LoadUint64(r.word64(RingBlockedOffset + 16)),
		Call:        Call(last),
		Flags:       Flags(last >> 16),
		Interpreter: last>>32 != 0,
	}
}

// A Polling is a loop in which a thread asks repeatedly for a status or a value, and has got the same answer so far.
type Polling struct {
	Begin, Last Ticks  // the first and the last question
	Questions   uint64 // number of polls
	Answer      uint64 // the answer to all questions
	Object      ObjectID
	Call        Call // CallNone when the thread does not poll
}

// Polling returns the loop in which the thread polls; its Call is CallNone if there is none. The thread may have left
// the loop after Last.
func (r Ring) Polling() Polling {
	last := atomic.LoadUint64(r.word64(RingPolledOffset + 32)) // the thread stores this word last
	return Polling{
		Begin:     Ticks(atomic.LoadUint64(r.word64(RingPolledOffset))),
		Last:      Ticks(atomic.LoadUint64(r.word64(RingPolledOffset + 8))),
		Questions: atomic.LoadUint64(r.word64(RingPolledOffset + 16)),
		Answer:    atomic.LoadUint64(r.word64(RingPolledOffset + 24)),
		Object:    ObjectID(last),
		Call:      Call(last >> 32),
	}
}

// Slots yields the memory of the records at positions `from` (inclusive) to `to` (exclusive), in pieces of at most
// ChunkRecords records. Call Head first: its atomic load makes the thread's table of chunks visible. The caller must
// hold the claim (see TryClaim), or the process must be dead; otherwise the thread may overwrite the records.
func (r Ring) Slots(from, to uint64) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for from < to {
			end := min(from-from%ChunkRecords+ChunkRecords, to)
			start := PageSize + (r.chunk(from/ChunkRecords)*ChunkRecords+from%ChunkRecords)*RecordSize
			if !yield(r.memory[start : start+(end-from)*RecordSize]) {
				return
			}
			from = end
		}
	}
}

// chunk returns the number of the chunk in which the n-th run of ChunkRecords positions is.
func (r Ring) chunk(n uint64) uint64 {
	i := n % ChunksPerRing
	return i ^ uint64(r.memory[RingChunksOffset+i])%ChunksPerRing
}

// Intact returns the position from which on all records up to head are certainly not overwritten: the thread has
// not reused their chunks. Call it only for the ring buffer of a dead process. The chunk that the thread may have
// chosen next counts as reused, because the thread may have written into it without publishing a record.
func (r Ring) Intact(head uint64) uint64 {
	var used [ChunksPerRing]bool
	n := head / ChunkRecords
	used[r.chunk(n+1)] = true
	for back := range min(n+1, ChunksPerRing-1) {
		if c := r.chunk(n - back); used[c] {
			return (n - back + 1) * ChunkRecords
		} else {
			used[c] = true
		}
	}
	return (n + 1 - min(n+1, ChunksPerRing-1)) * ChunkRecords
}

// FactBytes returns the memory of the facts (names and other data of variable size) at byte positions `from`
// (inclusive) to `to` (exclusive), at most FactsPerRing bytes. It returns two slices if the ring buffer wraps around
// in between; otherwise b is nil. The caller must hold the claim (see TryClaim), or the process must be dead;
// otherwise the thread may overwrite the facts.
func (r Ring) FactBytes(from, to uint64) (a, b []byte) {
	facts := r.memory[PageSize+RecordsPerRing*RecordSize:]
	return wrapped(facts, from%FactsPerRing, to-from)
}

func wrapped(memory []byte, start, length uint64) (a, b []byte) {
	size := uint64(len(memory))
	length = min(length, size)
	if start+length <= size {
		return memory[start : start+length], nil
	}
	return memory[start:], memory[:start+length-size]
}
