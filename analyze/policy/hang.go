package policy

import "mtrace/analyze"

// Limits from which a program counts as hung rather than slow.
const (
	// QuietBeforeHang is the minimum time without progress for a hang. No progress means: no command buffer was
	// created, committed or completed, and no wait ended. After about a second users start to wonder.
	QuietBeforeHang analyze.Nanos = 1_000_000_000
	// HangTimesUsual is a multiple of the longest time that any completed command buffer took from commit to
	// completion. A command buffer that is in flight for longer counts as hung.
	HangTimesUsual = 3
	// LongestCompile is the duration from which a compilation counts as hung. Even large sources of kernels compile
	// within a minute.
	LongestCompile analyze.Nanos = 120_000_000_000
	// GILPause is the longest pause between two recorded waits of a thread for the GIL that still counts as one long
	// wait. CPython repeats its request every 5 ms, and the records of the last waits may not be written yet.
	GILPause analyze.Nanos = 100_000_000
	// RetryPause is for threads that repeat a wait with a time limit. If a thread's waits for the same value timed out,
	// it counts as still waiting for this long after the last of them.
	RetryPause analyze.Nanos = 500_000_000
	// RetryIntervals is a second limit for threads that repeat a wait with a time limit. Such a thread counts as still
	// waiting for RetryIntervals times the mean interval between its waits, or for RetryPause if that is longer.
	RetryIntervals = 5
	// SignalsToKnow is how many earlier waits for a condition variable or semaphore must have been ended by known
	// threads before these count as the only ones that signal it. A thread that signals it rarely may be missing among
	// fewer waits.
	SignalsToKnow = 5
	// MostStuck is how many stuck threads, and how many steps of a chain of waits, a hang report lists.
	MostStuck = 16
)
