package loading

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"mtrace/analyze"
)

// usualMemory is the memory for reading a trace, in bytes, including garbage, unless the trace itself needs more: see
// docs/scale.md.
const usualMemory = 220 << 20

// BoundHeap is for commands that read traces. The model stays in memory, so the garbage collector need not run whenever
// the heap has doubled, but only when memory is near a bound. If the live data approaches the bound, the bound is
// raised. GOGC and GOMEMLIMIT of the user take precedence.
func BoundHeap() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(analyze.GCPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" && !bounded.Swap(true) {
		debug.SetMemoryLimit(usualMemory)
		afterCollection(usualMemory)
	}
}

// bounded is set once the bound is managed.
var bounded atomic.Bool

// afterCollection raises the bound if needed, after each garbage collection.
func afterCollection(bound uint64) {
	type sentinel struct{ _ [32]byte }
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if least := live[0].Value.Uint64() / 2 * 3; least > bound {
			bound = least
			debug.SetMemoryLimit(int64(bound))
		}
		afterCollection(bound)
	})
}
