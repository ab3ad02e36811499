package wire

// A traced process shares one region of memory with the collector: a header of PageSize bytes, then RingCount rings.
// Each ring buffer is a header of PageSize bytes, RecordsPerRing records and FactsPerRing bytes of facts (names and
// other data of variable size). The process creates the region at its first Metal call and passes it with the Rings
// frame. The tracer's library in the process writes the region; the library's drainer or the collector reads it. The
// generated C header checks these offsets against the C structs by _Static_assert.
const (
	// RegionMagic is the first word of the region: "mtrace", and the version in the low two bytes.
	RegionMagic uint64 = 0x6d74726163650000 | Version
	// PageSize is the size and the alignment of the headers, in bytes. It is the page size of Apple silicon (16 KiB),
	// so that each part can be mapped or released separately.
	PageSize = 16384
	// RingCount is the maximum number of threads that are recorded at the same time. A ring buffer passes to another
	// thread only after its thread has exited and all of its records were read.
	RingCount = 256
	// RecordsPerRing is how many records a ring buffer holds (2 MiB). It must be a power of two.
	RecordsPerRing = 65536
	// ChunkRecords is how many records a chunk (16 KiB of a ring buffer's memory) holds. A thread fills one chunk, then
	// takes another: of those that the collector has read, the one that it read last. So a ring buffer that the
	// collector reads often uses only a few pages of memory, which stay cached. The first use of a page takes 2 to 25 µs.
	ChunkRecords = 512
	// ChunksPerRing is the number of chunks in a ring buffer.
	ChunksPerRing = RecordsPerRing / ChunkRecords
	// FactsPerRing is how many bytes of facts (names and other data of variable size) a ring buffer holds. It must be
	// a power of two, like RecordsPerRing.
	FactsPerRing = 131072
	// RingStride is the distance between the beginnings of two ring buffers, in bytes.
	RingStride = PageSize + RecordsPerRing*RecordSize + FactsPerRing
	// RegionSize is the size of the whole region, in bytes. Pages that are never written take no memory.
	RegionSize = PageSize + RingCount*RingStride
)

// ClockKind says what the ticks of a process's records count.
type ClockKind uint32

// The clocks a process may record with.
const (
	ClockNanoseconds ClockKind = 1 // clock_gettime(CLOCK_MONOTONIC), ticks are nanoseconds
	ClockTSC         ClockKind = 2 // x86-64 invariant TSC, converted by samples
	ClockMach        ClockKind = 3 // mach_absolute_time, converted by the timebase fraction
)

// The offsets of the fields in the region's header, in bytes. The library writes all counters with relaxed atomic
// stores.
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
	// Offset 88 is unused. It had the number of nested calls, which each ring buffer now counts.
	RegionForksOffset    = 96  // u64: children that passed through fork without exec, untraced
	RegionRejectedOffset = 104 // u64: calls on threads that were exiting or inside the tracer itself
	// u32: the collector writes 1 here before it reads the counters for the last time, so that the process knows
	// that later counts do not reach the trace
	RegionEndedOffset = 112

	// The delays of an experiment. The collector, not the process, writes these fields: see Delays.
	RegionDelaysOffset     = 1024 // u32 sequence: odd while the next five words are written, at first 0
	RegionDelayKindsOffset = 1028 // u32 DelayKind: the delays of threads that take a ring from now on
	RegionDelayOffset      = 1032 // u64: the length of a delay, in nanoseconds
	RegionDelayUntilOffset = 1040 // u64: the end of all delays, in nanoseconds on the process's monotonic clock
	RegionDelayLockOffset  = 1048 // u64: the address of the lock that is held longer
	RegionProgressOffset   = 1056 // u64 StringID of the mark that is a unit of progress; 0: a completed command buffer
	// u64: nanoseconds that each thread must have paused because of virtual speed-ups (all threads pause except the
	// one that runs the target); only grows
	RegionDelayDueOffset   = 1088
	RegionDelayCallsOffset = 1152 // DelayCallWords u64: a bit for each call that is delayed

	// Counts of command buffers; see Alive.
	RegionBuffersMadeOffset  = 1280 // u64: created; not counted before the tracer can see frees
	RegionBuffersMostOffset  = 1288 // u64: largest number alive at the same time
	RegionBuffersFreedOffset = 1408 // u64: freed

	// The same counts for encoders.
	RegionEncodersMadeOffset  = 1536 // u64
	RegionEncodersMostOffset  = 1544 // u64
	RegionEncodersFreedOffset = 1664 // u64
)

// DelayCallWords is the number of 64-bit words at RegionDelayCallsOffset; they have one bit for each call.
const DelayCallWords = 16

// The offsets of the fields in a ring buffer's header, in bytes. Head and tail only grow. The thread writes the first
// cache line, and the reader (the side that holds the claim: see Claim) the second. Writing to one shared cache line
// would slow both down.
const (
	RingHeadOffset         = 0   // u64: records ever published (release store by the thread)
	RingDroppedOffset      = 8   // u64: records dropped because the ring was full
	RingFactsHeadOffset    = 16  // u64: bytes of facts ever published
	RingFactsDroppedOffset = 24  // u64: facts dropped because there was no space
	RingTailOffset         = 128 // u64: records consumed (release store by the consumer)
	RingFactsTailOffset    = 136 // u64: bytes of facts consumed
	RingClaimOffset        = 256 // u32 Claim
	RingStateOffset        = 384 // u32 RingState
	RingThreadOffset       = 392 // u64: the system's id of the thread that has the ring, or had it last
	// The call that the thread is executing: u64 begin ticks, u32 object, u16 call (0: none), u16 zero
	RingCurrentOffset = 512
	RingAwaitedOffset = 528 // u64 value of an event, u64 Flags: for the current call, if it is a wait
	// The wait in which the thread is blocked, see Blocked: u64 begin ticks, u64 address, u64 holder, u16 call, u16
	// Flags, u32 interpreter
	RingBlockedOffset = 640

	// The loop in which the thread asks for a status repeatedly, see Polling: u64 begin ticks, u64 ticks of the
	// last question, u64 number of questions, u64 answer, u32 object, u16 call, u16 zero
	RingPolledOffset = 768

	RingDelaysOffset = 544 // u32 DelayKind: which activities of the thread are delayed now; written by the collector

	// From here on are counters that are never reset, not even when another thread takes over the ring buffer.
	// RingNestedOffset has a u64 for each of NestedFamilies families: how many calls were not recorded because they
	// were made inside a recorded call of the same family.
	RingNestedOffset        = 1024
	RingCommitsOffset       = 1536 // u64: command buffers that reached commitCommandBuffer:wake:, below the hooks
	RingCommitsMissedOffset = 1544 // u64: how many command buffers counted at RingCommitsOffset had no recorded commit
	RingCompletionsOffset   = 1552 // u64: command buffers whose completion Metal announced to their queue
	// u64: how many command buffers counted at RingCompletionsOffset did not run the tracer's completion handler
	RingCompletionsMissedOffset = 1560

	// The counters of an experiment, which delays a target (such as a call) and measures the program's progress.
	RingDelayedOffset  = 1568 // u64: how often the target occurred, including delays of length 0
	RingInjectedOffset = 1576 // u64 nanoseconds, measured: how long the thread was delayed, with pauses
	RingUnitsOffset    = 1584 // u64: units of progress, such as completed command buffers
	RingUnitAtOffset   = 1592 // u64 ticks: when the last unit of progress was completed
	// u64 nanoseconds: how much of the pauses due (RegionDelayDueOffset) the thread has made or need not make
	RingPaidOffset = 1600

	// A table of ChunksPerRing elements (u8) that says where the records are. Run n of ChunkRecords positions is in
	// chunk i XOR element i, where i is n modulo ChunksPerRing. All elements are 0 at first, so position p is in
	// slot p modulo RecordsPerRing. The thread stores an element before it publishes the first record of the chunk.
	RingChunksOffset = 1664
)

// NestedFamilies is the number of families of classes for which a ring buffer counts nested calls.
const NestedFamilies = 64

// RingState says whether a ring buffer is free, used by a thread, or still to be read.
type RingState uint32

// The states of a ring buffer, in order: free; used by a thread; left by a thread that exited. After all records of a
// left ring buffer were read, the next thread may use it.
const (
	RingFree   RingState = 0
	RingLive   RingState = 1
	RingExited RingState = 2
)

// Claim says which side reads a ring buffer at the moment. A side takes the claim by compare-and-swap from
// ClaimNobody, and releases it after its last store to the tails, so two sides never read the same records. The claim
// of a process that has died is ignored.
type Claim uint32

// The values of a Claim.
const (
	ClaimNobody    Claim = 0
	ClaimDrainer   Claim = 1
	ClaimCollector Claim = 2
)
