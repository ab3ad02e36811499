package wire

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// A Region is the mapped shared memory of a traced process. Its reader is the drainer inside the process or the
// collector outside. The process keeps writing to it: every word that changes is read with an atomic load, and every
// value is checked before it is used.
type Region struct{ memory []byte }

// OpenRegion checks that memory is a region of this version. It must be mapped as a whole and stay mapped.
func OpenRegion(memory []byte) (Region, error) {
	g := Region{memory}
	switch {
	case len(memory) != RegionSize:
		return g, fmt.Errorf("region: %d bytes, not the %d of wire version %d", len(memory), RegionSize, Version)
	case uintptr(unsafe.Pointer(&memory[0]))%8 != 0:
		return g, fmt.Errorf("region: not aligned to 8 bytes")
	case g.load64(RegionMagicOffset) != RegionMagic:
		return g, fmt.Errorf("region: starts with %#016x, not with %#016x", g.load64(RegionMagicOffset), RegionMagic)
	case g.load32(RegionVersionOffset) != Version:
		return g, fmt.Errorf("region: version %d, this collector reads %d", g.load32(RegionVersionOffset), Version)
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

// PID returns the id of the process that created the region, as the process itself sees it.
func (g Region) PID() int { return int(g.load32(RegionPIDOffset)) }

// Clock returns the kind of clock that the records' times come from.
func (g Region) Clock() ClockKind { return ClockKind(g.load32(RegionClockKindOffset)) }

// Timebase returns the fraction of nanoseconds per tick, for ClockMach only.
func (g Region) Timebase() (numer, denom uint32) {
	return g.load32(RegionTimebaseOffset), g.load32(RegionTimebaseOffset + 4)
}

// RingsUsed returns how many rings were ever used, at most RingCount.
func (g Region) RingsUsed() int { return int(min(g.load32(RegionRingsUsedOffset), RingCount)) }

// FirstSample returns the clock sample taken when the region was created.
func (g Region) FirstSample() ClockSample {
	return ClockSample{Ticks(g.load64(RegionFirstSampleOffset)), int64(g.load64(RegionFirstSampleOffset + 8))}
}

// LatestSample returns the last clock sample. It returns false if there is none, or if the sample is incomplete because
// it is being written or because the process died while writing it.
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

// A Losses counts what a process did not record, over all its threads; layout.go describes each counter at its offset.
type Losses struct {
	Unringed, Unnumbered, Forks, Rejected uint64
}

// SetEnded announces that the counters are about to be read for the last time. A process that counts afterwards sees
// the mark; the reading includes earlier counts.
func (g Region) SetEnded() {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&g.memory[RegionEndedOffset])), 1)
}

// Losses reads the region's counters.
func (g Region) Losses() Losses {
	return Losses{g.load64(RegionUnringedOffset), g.load64(RegionUnnumberedOffset), g.load64(RegionForksOffset),
		g.load64(RegionRejectedOffset)}
}

// Alive counts objects: how many the program created and freed, and how many were alive at the same time at most.
type Alive struct {
	Made  uint64 `json:"made"`
	Freed uint64 `json:"freed"`
	Most  uint64 `json:"most"`
}

// CommandBuffers counts the process's command buffers.
func (g Region) CommandBuffers() Alive {
	return Alive{g.load64(RegionBuffersMadeOffset), g.load64(RegionBuffersFreedOffset),
		g.load64(RegionBuffersMostOffset)}
}

// Ring is ring i, which must be less than RingCount.
func (g Region) Ring(i int) Ring {
	start := PageSize + i*RingStride
	return Ring{g.memory[start : start+RingStride : start+RingStride]}
}

// A Ring is one ring of a Region. Its methods are for the consumer. Methods whose comment says so require the claim.
type Ring struct{ memory []byte }

func (r Ring) word32(offset int) *uint32 { return (*uint32)(unsafe.Pointer(&r.memory[offset])) }
func (r Ring) word64(offset int) *uint64 { return (*uint64)(unsafe.Pointer(&r.memory[offset])) }

// Head returns how many records were ever published. Records before it are complete: the load pairs with the thread's
// release store.
func (r Ring) Head() uint64 { return atomic.LoadUint64(r.word64(RingHeadOffset)) }

// Tail returns how many records were ever consumed.
func (r Ring) Tail() uint64 { return atomic.LoadUint64(r.word64(RingTailOffset)) }

// SetTail releases the slots before position, so that the thread can overwrite them. The caller must hold the claim.
func (r Ring) SetTail(position uint64) { atomic.StoreUint64(r.word64(RingTailOffset), position) }

// FactsHead returns how many bytes of facts were ever published.
func (r Ring) FactsHead() uint64 { return atomic.LoadUint64(r.word64(RingFactsHeadOffset)) }

// FactsTail returns how many bytes of facts were ever consumed.
func (r Ring) FactsTail() uint64 { return atomic.LoadUint64(r.word64(RingFactsTailOffset)) }

// SetFactsTail releases the bytes before position, so that the thread can overwrite them. The caller must hold the
// claim.
func (r Ring) SetFactsTail(position uint64) {
	atomic.StoreUint64(r.word64(RingFactsTailOffset), position)
}

// Dropped returns how many records were dropped because the ring was full.
func (r Ring) Dropped() uint64 { return atomic.LoadUint64(r.word64(RingDroppedOffset)) }

// FactsDropped returns how many facts were dropped because the ring of facts was full.
func (r Ring) FactsDropped() uint64 { return atomic.LoadUint64(r.word64(RingFactsDroppedOffset)) }

// State returns the ring's state: free, in use, or left by its thread.
func (r Ring) State() RingState { return RingState(atomic.LoadUint32(r.word32(RingStateOffset))) }

// Thread returns the system's id of the thread that has the ring, or had it last.
func (r Ring) Thread() uint64 { return atomic.LoadUint64(r.word64(RingThreadOffset)) }

// TryClaim makes side the ring's only consumer if no side holds the claim.
func (r Ring) TryClaim(side Claim) bool {
	return atomic.CompareAndSwapUint32(r.word32(RingClaimOffset), uint32(ClaimNobody), uint32(side))
}

// Unclaim releases the claim. It must follow the last store to the tails.
func (r Ring) Unclaim() { atomic.StoreUint32(r.word32(RingClaimOffset), uint32(ClaimNobody)) }

// Claimed returns the side that is draining the ring.
func (r Ring) Claimed() Claim { return Claim(atomic.LoadUint32(r.word32(RingClaimOffset))) }

// An Audit counts command buffers at an internal Metal function that every command buffer passes, below the methods
// that are hooked to record calls. It shows how many the hooks missed.
type Audit struct {
	Reached uint64 `json:"reached"` // that passed it
	Missed  uint64 `json:"missed"`  // the number of these for which the hooks recorded no call
}

// Add adds the counts of b.
func (a *Audit) Add(b Audit) { a.Reached, a.Missed = a.Reached+b.Reached, a.Missed+b.Missed }

// Seen returns the number of command buffers that the hooks recorded.
func (a Audit) Seen() uint64 { return a.Reached - min(a.Reached, a.Missed) }

// Commits returns the command buffers that the ring's threads committed, counted where their queue accepts them.
func (r Ring) Commits() Audit {
	return Audit{atomic.LoadUint64(r.word64(RingCommitsOffset)), atomic.LoadUint64(r.word64(RingCommitsMissedOffset))}
}

// Completions returns the command buffers whose completion was announced on the ring's threads.
func (r Ring) Completions() Audit {
	return Audit{atomic.LoadUint64(r.word64(RingCompletionsOffset)),
		atomic.LoadUint64(r.word64(RingCompletionsMissedOffset))}
}

// Nested returns how many calls of a family were made inside calls of the same family and therefore not recorded. The
// family must be below NestedFamilies.
func (r Ring) Nested(f Family) uint64 {
	return atomic.LoadUint64(r.word64(RingNestedOffset + 8*int(f)))
}

// Current is the call that the thread is inside: its begin, its object and its number, or CallNone outside of any call.
func (r Ring) Current() (begin Ticks, object ObjectID, call Call) {
	rest := atomic.LoadUint64(r.word64(RingCurrentOffset + 8))
	begin = Ticks(atomic.LoadUint64(r.word64(RingCurrentOffset)))
	return begin, ObjectID(rest), Call(rest >> 32)
}

// Awaited describes the current call if it is a wait: the value of the event that it waits for, and the flags that its
// record will have.
func (r Ring) Awaited() (value uint64, flags Flags) {
	return atomic.LoadUint64(r.word64(RingAwaitedOffset)), Flags(atomic.LoadUint64(r.word64(RingAwaitedOffset + 8)))
}

// A Blocked is a wait for a lock or a signal that a thread is inside.
type Blocked struct {
	Begin       Ticks
	Address     uint64 // of the lock, the condition variable or the semaphore
	Holder      uint64 // the system's id of the thread that held the lock when the wait began; 0 when not known
	Call        Call   // CallNone when the thread is in no such wait
	Flags       Flags
	Interpreter bool // the lock is a language interpreter's, such as the GIL
}

// Blocked returns the wait for a lock or a signal that the thread is inside.
func (r Ring) Blocked() Blocked {
	last := atomic.LoadUint64(r.word64(RingBlockedOffset + 24)) // is stored last
	return Blocked{
		Begin:       Ticks(atomic.LoadUint64(r.word64(RingBlockedOffset))),
		Address:     atomic.LoadUint64(r.word64(RingBlockedOffset + 8)),
		Holder:      atomic.LoadUint64(r.word64(RingBlockedOffset + 16)),
		Call:        Call(last),
		Flags:       Flags(last >> 16),
		Interpreter: last>>32 != 0,
	}
}

// A Polling is a loop in which a thread asks for a status or a value that has not changed so far.
type Polling struct {
	Begin, Last Ticks  // the first and the last question
	Questions   uint64 // how many it asked
	Answer      uint64 // the answer to all of them
	Object      ObjectID
	Call        Call // CallNone when the thread does not poll
}

// Polling is the loop in which the thread polls. The thread may have left the loop since Last.
func (r Ring) Polling() Polling {
	last := atomic.LoadUint64(r.word64(RingPolledOffset + 32)) // is stored last
	return Polling{
		Begin:     Ticks(atomic.LoadUint64(r.word64(RingPolledOffset))),
		Last:      Ticks(atomic.LoadUint64(r.word64(RingPolledOffset + 8))),
		Questions: atomic.LoadUint64(r.word64(RingPolledOffset + 16)),
		Answer:    atomic.LoadUint64(r.word64(RingPolledOffset + 24)),
		Object:    ObjectID(last),
		Call:      Call(last >> 32),
	}
}

// Slots returns the memory of the records at positions from up to to, not including to: one slice, or two where the
// ring wraps. There may be at most RecordsPerRing records. The caller must hold the claim, or the process must be dead.
func (r Ring) Slots(from, to uint64) (a, b []byte) {
	records := r.memory[PageSize : PageSize+RecordsPerRing*RecordSize]
	return wrapped(records, from%RecordsPerRing*RecordSize, (to-from)*RecordSize)
}

// FactBytes returns the memory of the facts at byte positions from up to to, not including to: one slice or two. There
// may be at most FactsPerRing bytes. The caller must hold the claim, or the process must be dead.
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
