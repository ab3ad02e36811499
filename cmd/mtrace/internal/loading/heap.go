package loading

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"mtrace/analyze"
)

// usualMemory is how many bytes, including garbage, a command that reads traces may use before Go collects garbage. A
// trace that needs more raises the limit: see docs/scale.md.
const usualMemory = 210 << 20

// BoundHeap configures Go's garbage collector for commands that read traces. Most memory that they allocate stays in
// use, so collections each time the heap has doubled would waste CPU time. Instead, collections start near a memory
// limit, which is raised as the data in use grows. The user's GOGC and GOMEMLIMIT take precedence.
func BoundHeap() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(analyze.GCPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" && !bounded.Swap(true) {
		debug.SetMemoryLimit(usualMemory)
		afterCollection(usualMemory)
	}
}

// bounded is set once the memory limit is managed, so that it is not set up twice.
var bounded atomic.Bool

// afterCollection raises the memory limit to 1.5 times the live data after each garbage collection, if that is more
// than bound. A finalizer calls it: finalizers run after a collection.
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
