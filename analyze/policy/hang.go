package policy

import "mtrace/analyze"

// Limits from which a program counts as hung rather than slow.
const (
	// QuietBeforeHang is the minimum time without progress for a hang: the program has created, committed and completed
	// no command buffer and ended no wait. Users start to wonder after about that time; a program that makes progress
	// in between is slow.
	QuietBeforeHang analyze.Nanos = 1_000_000_000
	// HangTimesUsual limits the duration of a command buffer: in flight for this many times longer than any earlier one
	// of the run, it counts as hung.
	HangTimesUsual = 3
	// LongestCompile is the duration from which a compilation counts as hung: whole programs of kernels compile in a
	// minute.
	LongestCompile analyze.Nanos = 120_000_000_000
	// GILPause bounds the time between two recorded waits for the GIL of a thread that did not get it in between:
	// CPython repeats the request every 5 ms, and the records of the last waits may not be written yet.
	GILPause analyze.Nanos = 100_000_000
	// MostStuck is how many threads, and how many steps of a chain, a hang report lists.
	MostStuck = 16
)
