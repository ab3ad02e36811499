package wire

// The shared memory of a traced process: one region header of PageSize bytes, then RingCount rings, each a ring header
// of PageSize bytes, RecordsPerRing records and FactsPerRing bytes of facts. The region is created at the process's
// first Metal call and passed to the collector with the Rings frame. The shim writes it, the drainer or the collector
// reads it. The generated header checks the offsets below against the C structs by _Static_assert.
const (
	// RegionMagic is the first word of the region: "mtrace" and the version in the low bytes.
	RegionMagic uint64 = 0x6d74726163650000 | Version
	// PageSize is the size and alignment of the headers, in bytes (16 KiB: the page of Apple silicon).
	PageSize = 16384
	// RingCount is the maximum number of threads that are recorded at the same time. A ring is reused once its thread
	// is gone and the ring is drained.
	RingCount = 256
	// RecordsPerRing is the capacity of a ring, in records (2 MiB); a power of two.
	RecordsPerRing = 65536
	// FactsPerRing is the capacity of a ring's facts, in bytes; a power of two.
	FactsPerRing = 131072
	// RingStride is the distance between two rings, in bytes.
	RingStride = PageSize + RecordsPerRing*RecordSize + FactsPerRing
	// RegionSize is the size of the whole region, in bytes. Pages never written take no memory.
	RegionSize = PageSize + RingCount*RingStride
)

// ClockKind states what a tick is.
type ClockKind uint32

// The clocks a process may record with.
const (
	ClockNanoseconds ClockKind = 1 // clock_gettime(CLOCK_MONOTONIC), ticks are nanoseconds
	ClockTSC         ClockKind = 2 // x86-64 invariant TSC, converted by samples
	ClockMach        ClockKind = 3 // mach_absolute_time, converted by the timebase fraction
)

// Offsets in the region header, in bytes. All counters are written with relaxed atomic stores by the shim.
const (
	RegionMagicOffset        = 0  // u64
	RegionVersionOffset      = 8  // u32
	RegionPIDOffset          = 12 // u32
	RegionClockKindOffset    = 16 // u32 ClockKind
	RegionTimebaseOffset     = 20 // u32 numerator, u32 denominator: nanoseconds per tick of ClockMach
	RegionRingsUsedOffset    = 28 // u32: rings from this index on were never used
	RegionFirstSampleOffset  = 32 // u64 ticks, i64 ns: taken when the library was loaded
	RegionLatestSampleOffset = 48 // u64 sequence (odd while being written), u64 ticks, i64 ns
	RegionUnringedOffset     = 72 // u64: records lost because every ring was in use
	RegionUnnumberedOffset   = 80 // u64: objects that got no number because the table was full
	// Offset 88 had the number of inner calls, which each ring now counts itself.
	RegionForksOffset    = 96  // u64: children that passed through fork without exec, untraced
	RegionRejectedOffset = 104 // u64: calls on threads that were exiting or inside the tracer itself
	// u32: 1 once the collector has read the counters for the last time; it writes the 1 before it reads them
	RegionEndedOffset = 112

	// The delays of an experiment. The collector writes them; see Delays.
	RegionDelaysOffset     = 1024 // u32 sequence: odd while the five words that follow are written, 0 before the first time
	RegionDelayKindsOffset = 1028 // u32 DelayKind: the initial word of a thread that takes a ring
	RegionDelayOffset      = 1032 // u64: the length of a delay, in nanoseconds
	RegionDelayUntilOffset = 1040 // u64: the end of all delays, in nanoseconds on the process's monotonic clock
	RegionDelayLockOffset  = 1048 // u64: the address of the lock that is held longer
	RegionProgressOffset   = 1056 // u64 StringID of the mark that is a unit of progress; 0: a completed command buffer
	// u64: nanoseconds that each thread has to pause because of virtual speed-ups; only grows
	RegionDelayDueOffset   = 1088
	RegionDelayCallsOffset = 1152 // DelayCallWords u64: a bit for each call that is delayed

	// Command buffers, see Alive.
	RegionBuffersMadeOffset  = 1280 // u64: created, since the tracer sees when they are freed
	RegionBuffersMostOffset  = 1288 // u64: alive at the same time at most
	RegionBuffersFreedOffset = 1408 // u64: freed
)

// DelayCallWords is the number of words, of 64 calls each, at RegionDelayCallsOffset.
const DelayCallWords = 16

// Offsets in a ring header, in bytes. Head and tail only grow; the slot of position p is p modulo the capacity. The
// producer writes the first cache line, the consumer the second. Claim states which side is the consumer.
const (
	RingHeadOffset         = 0   // u64: records ever published (release store by the thread)
	RingDroppedOffset      = 8   // u64: records dropped because the ring was full
	RingFactsHeadOffset    = 16  // u64: bytes of facts ever published
	RingFactsDroppedOffset = 24  // u64: facts dropped because there was no space
	RingTailOffset         = 128 // u64: records consumed (release store by the consumer)
	RingFactsTailOffset    = 136 // u64: bytes of facts consumed
	RingClaimOffset        = 256 // u32 Claim
	RingStateOffset        = 384 // u32 RingState
	RingThreadOffset       = 392 // u64: the system's id of the thread that has it, or had it last
	// u64 begin ticks, u32 object, u16 call, u16 zero: the call the thread is inside; call 0 = none
	RingCurrentOffset = 512
	RingAwaitedOffset = 528 // u64 value of an event, u64 Flags: for the current call, if it is a wait
	// u64 begin ticks, u64 address, u64 holder, u16 call, u16 Flags, u32 interpreter: see Blocked
	RingBlockedOffset = 640

	// u64 begin ticks, u64 ticks of the last question, u64 number of questions, u64 answer, u32 object, u16 call, u16
	// zero: see Polling
	RingPolledOffset = 768

	RingDelaysOffset = 544 // u32 DelayKind: what of the thread is delayed now; written by the collector

	// Counters of events that are not recorded. They only grow, whichever thread has the ring. This one is u64 for each
	// of NestedFamilies families: inner calls not recorded because an outer one was
	RingNestedOffset            = 1024
	RingCommitsOffset           = 1536 // u64: command buffers that reached commitCommandBuffer:wake:, below the hooks
	RingCommitsMissedOffset     = 1544 // u64: how many of these were not preceded by a recorded commit
	RingCompletionsOffset       = 1552 // u64: command buffers whose completion Metal announced to their queue
	RingCompletionsMissedOffset = 1560 // u64: how many of these did not run the tracer's completion handler

	// What experiments count.
	RingDelayedOffset  = 1568 // u64: occurrences that were delayed, including delays of 0
	RingInjectedOffset = 1576 // u64: nanoseconds of those delays, as they were measured
	RingUnitsOffset    = 1584 // u64: units of progress
	RingUnitAtOffset   = 1592 // u64 ticks: when the last of them was completed
	RingPaidOffset     = 1600 // u64: the part of RegionDelayDueOffset that the thread has paused or need not pause
)

// NestedFamilies is the number of families for which a ring has counters of inner calls.
const NestedFamilies = 64

// RingState is the life of a ring.
type RingState uint32

// The states of a ring: free, then in use by a thread, then left by it, then (drained) in use by the next thread.
const (
	RingFree   RingState = 0
	RingLive   RingState = 1
	RingExited RingState = 2
)

// Claim is the side that is draining a ring at the moment. A side takes it with compare-and-swap from ClaimNobody and
// releases it after its last store to the tails. The claim of a dead process is void.
type Claim uint32

// The two sides.
const (
	ClaimNobody    Claim = 0
	ClaimDrainer   Claim = 1
	ClaimCollector Claim = 2
)
