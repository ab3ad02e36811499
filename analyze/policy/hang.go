package policy

import "mtrace/analyze"

// Limits from which a program counts as hung, not slow.
const (
	// QuietBeforeHang is how long a hung program has created, committed and completed no command buffer and ended no
	// wait. Users begin to wonder after about as long; a program that makes progress in between is slow.
	QuietBeforeHang analyze.Nanos = 1_000_000_000
	// HangTimesUsual is how many times as long as any earlier command buffer of the run one must be in flight before it
	// counts as never completing.
	HangTimesUsual = 3
	// LongestCompile is the duration from which a compilation counts as hung: whole programs of kernels compile in a
	// minute.
	LongestCompile analyze.Nanos = 120_000_000_000
	// GILPause bounds the time between two recorded waits for the GIL of a thread that has not had it
	// in between: CPython asks again every 5 ms, and the records of the last waits are not written yet.
	GILPause analyze.Nanos = 100_000_000
	// MostStuck is how many threads, and how many steps of a chain, a hang report tells.
	MostStuck = 16
)
