package policy

import "mtrace/analyze"

// When a program counts as hung, and no longer to be slow.
const (
	// QuietBeforeHang is for how long no command buffer may have been made, committed or completed, and no wait have
	// ended, before a program counts as hung: people begin to wonder after about as long, and a program that works
	// in between is slow, not stuck.
	QuietBeforeHang analyze.Nanos = 1_000_000_000
	// HangTimesUsual is how many times as long as ever before in the run a command buffer must be in progress before
	// it counts as never completing: one that is only long takes about as long as another of its run.
	HangTimesUsual = 3
	// LongestCompile is how long a compilation may take before it counts as hung: whole programs of kernels take a
	// minute.
	LongestCompile analyze.Nanos = 120_000_000_000
	// GILPause bounds the time between two recorded waits for the GIL of a thread that has not had it
	// in between: CPython asks again every 5 ms, and the records of the last waits are not written yet.
	GILPause analyze.Nanos = 100_000_000
	// MostStuck is how many threads, and how many steps of a chain, a hang report tells.
	MostStuck = 16
)
