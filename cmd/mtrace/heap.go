package main

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// longMemory is what a report of a long trace uses, in bytes, with its garbage: see docs/scale.md. What lives of a part is a hundred megabytes, and
// is gone when the next begins, so that to collect garbage more often only costs time.
const longMemory = 400 << 20

// boundHeap has garbage collected when memory is nearly at a bound, and not each time the heap has grown by a share. What it returns is to be
// called now and then: when what lives comes near to the bound, that is raised. Whoever sets GOGC or GOMEMLIMIT knows better.
func boundHeap() (look func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	bound := uint64(longMemory)
	debug.SetMemoryLimit(int64(bound))
	debug.SetGCPercent(-1)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	return func() {
		metrics.Read(live)
		if least := live[0].Value.Uint64() / 2 * 3; least > bound {
			bound = least
			debug.SetMemoryLimit(int64(bound))
		}
	}
}
