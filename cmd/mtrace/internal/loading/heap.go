package loading

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"mtrace/analyze"
)

// usualMemory is the memory, in bytes and including garbage, within which traces are read unless a trace needs more:
// see docs/scale.md.
const usualMemory = 220 << 20

// BoundHeap configures the garbage collector for commands that read traces. The model stays in memory, so the collector
// need not run whenever the heap has doubled, but only when memory is near a bound. If the live data approaches the
// bound, the bound is raised. The user's GOGC and GOMEMLIMIT take precedence.
func BoundHeap() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(analyze.GCPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" && !bounded.Swap(true) {
		debug.SetMemoryLimit(usualMemory)
		afterCollection(usualMemory)
	}
}

// bounded reports whether the bound is managed.
var bounded atomic.Bool

// afterCollection runs after each garbage collection and raises the bound if needed.
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
