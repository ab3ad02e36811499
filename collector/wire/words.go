package wire

// A word describes one field of a header in the shared memory. The generated C header and docs/wire.md are made from
// these descriptions.
type word struct {
	name    string
	offset  int
	layout  string
	meaning string
}

var regionWords = []word{
	{"magic", RegionMagicOffset, "u64", "`mtrace` and the version; stored last"},
	{"version", RegionVersionOffset, "u32", "version of records, rings and frames"},
	{"pid", RegionPIDOffset, "u32", "process id, in the process's own pid namespace"},
	{"clock kind", RegionClockKindOffset, "u32", "1 nanoseconds (CLOCK_MONOTONIC), 2 TSC, 3 mach_absolute_time"},
	{"timebase", RegionTimebaseOffset, "u32, u32", "numerator and denominator: nanoseconds per tick of clock 3"},
	{"rings used", RegionRingsUsedOffset, "u32", "number of rings that were ever used"},
	{"first sample", RegionFirstSampleOffset, "u64, i64", "ticks and nanoseconds when the region was made"},
	{"latest sample", RegionLatestSampleOffset, "u64, u64, i64",
		"sequence (odd while being written), ticks, nanoseconds"},
	{"unringed", RegionUnringedOffset, "u64", "records lost because every ring was in use"},
	{"unnumbered", RegionUnnumberedOffset, "u64", "objects that got no number because the table of objects was full"},
	{"forks", RegionForksOffset, "u64", "children that passed through fork without exec, untraced"},
	{"rejected", RegionRejectedOffset, "u64", "calls on threads that were exiting or inside the tracer itself"},
	{"ended", RegionEndedOffset, "u32", "1: the collector is reading the counters for the last time, or has done so"},
	{"delays", RegionDelaysOffset, "u32", "sequence of an experiment's delays, written by the collector: " +
		"odd while the next five fields are written, 0 before the first time"},
	{"delay kinds", RegionDelayKindsOffset, "u32",
		"initial value of the ring's field `delays` when a thread takes the ring"},
	{"delay", RegionDelayOffset, "u64", "the length of a delay, in nanoseconds"},
	{"delay until", RegionDelayUntilOffset, "u64", "the end of all delays, in nanoseconds on the process's clock"},
	{"delay lock", RegionDelayLockOffset, "u64", "the address of the lock that is held longer"},
	{"progress", RegionProgressOffset, "u64", "StringID of the mark that is a unit of progress; " +
		"0: a completed command buffer"},
	{"delay due", RegionDelayDueOffset, "u64",
		"nanoseconds that each thread has to pause because of virtual speed-ups; only grows"},
	{"delay calls", RegionDelayCallsOffset, "16 × u64", "a bit for each call that is delayed"},
	{"buffers made", RegionBuffersMadeOffset, "u64", "command buffers created since the tracer sees when they are freed"},
	{"buffers most", RegionBuffersMostOffset, "u64", "command buffers that were alive at the same time, at most"},
	{"buffers freed", RegionBuffersFreedOffset, "u64", "command buffers freed"},
	{"encoders made", RegionEncodersMadeOffset, "u64", "encoders created since the tracer sees when they are freed"},
	{"encoders most", RegionEncodersMostOffset, "u64", "encoders that were alive at the same time, at most"},
	{"encoders freed", RegionEncodersFreedOffset, "u64", "encoders freed"},
}

var ringWords = []word{
	{"head", RingHeadOffset, "u64", "records ever published; stored with release by the thread"},
	{"dropped", RingDroppedOffset, "u64", "records dropped because the ring was full"},
	{"facts head", RingFactsHeadOffset, "u64", "bytes of facts ever published"},
	{"facts dropped", RingFactsDroppedOffset, "u64", "facts dropped because there was no space"},
	{"tail", RingTailOffset, "u64", "records ever consumed; stored with release by the holder of the claim"},
	{"facts tail", RingFactsTailOffset, "u64", "bytes of facts ever consumed"},
	{"claim", RingClaimOffset, "u32", "the side that consumes now: 0 none, 1 the drainer, 2 the collector; " +
		"a side takes it by compare-and-swap from 0"},
	{"state", RingStateOffset, "u32", "0 free, 1 in use by a thread, 2 left by its thread"},
	{"thread", RingThreadOffset, "u64", "the system's id of the thread that has it, or had it last"},
	{"current", RingCurrentOffset, "u64, u32, u16, u16",
		"begin ticks, object, call, zero: the call the thread is inside; call 0 is none"},
	{"awaited", RingAwaitedOffset, "u64, u64",
		"of the current call if it is a wait: the value of the awaited event, and its flags as in a record"},
	{"blocked", RingBlockedOffset, "u64, u64, u64, u16, u16, u32",
		"the thread's current wait for a lock or a signal: begin ticks; " +
			"address of the lock, condition variable or semaphore; " +
			"the system's id of the lock's holder when the wait began (0: not known); " +
			"call (0: none); flags as in a record; 1 for an interpreter's lock"},
	{"polled", RingPolledOffset, "u64, u64, u64, u64, u32, u16, u16",
		"the loop in which the thread polls, while the answer has not changed: " +
			"begin ticks, ticks of the last question, number of questions, answer, object, call (0: none), zero"},
	{"delays", RingDelaysOffset, "u32", "which activities of the thread an experiment delays, written by the collector: " +
		"bit 0 calls, 1 releases of a lock, 2 returns of waits, 3 its own code, 4 completion handlers; " +
		"5 the thread pauses while a call of another thread is virtually sped up, " +
		"6 the other threads pause while its own call is, 8 with bit 6: the thread itself pauses, too; " +
		"7 the thread sleeps for its delay instead of spinning"},
	{"nested", RingNestedOffset, "64 × u64",
		"by family: calls not recorded because they were made inside a recorded call of the family; " +
			"this and the following counters are never reset"},
	{"commits", RingCommitsOffset, "u64", "command buffers that reached `commitCommandBuffer:wake:`, below the hooks"},
	{"commits missed", RingCommitsMissedOffset, "u64", "command buffers in `commits` that no recorded commit preceded"},
	{"completions", RingCompletionsOffset, "u64", "command buffers whose completion Metal announced to their queue"},
	{"completions missed", RingCompletionsMissedOffset, "u64",
		"command buffers in `completions` for which the tracer's completion handler did not run"},
	{"delayed", RingDelayedOffset, "u64",
		"calls, releases, waits and other activities of the thread that an experiment delayed"},
	{"injected", RingInjectedOffset, "u64", "total of the delays counted in `delayed`, as measured, in nanoseconds"},
	{"units", RingUnitsOffset, "u64", "units of progress (see `progress`) that the thread completed during an experiment"},
	{"unit at", RingUnitAtOffset, "u64", "ticks at which the last unit of progress was completed"},
	{"paid", RingPaidOffset, "u64", "the part of `delay due` that the thread has paused or need not pause"},
	{"chunks", RingChunksOffset, "128 × u8",
		"where the records are: those at positions p with p / 512 ≡ i modulo 128 are in chunk i XOR element i"},
}
