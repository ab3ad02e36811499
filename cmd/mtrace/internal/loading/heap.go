package loading

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"mtrace/analyze"
)

// usualMemory is what reading a trace uses, in bytes, with its garbage, where the trace itself does not need more: see
// docs/scale.md.
const usualMemory = 220 << 20

// BoundHeap is for commands that read traces. The model lives on, so garbage need not be collected each time the heap
// has doubled, but it is when memory is nearly at a bound. When what lives comes near to the bound, that is raised.
// Whoever sets GOGC or GOMEMLIMIT knows better.
func BoundHeap() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(analyze.GCPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" && !bounded.Swap(true) {
		debug.SetMemoryLimit(usualMemory)
		afterCollection(usualMemory)
	}
}

// bounded says that the bound is looked after.
var bounded atomic.Bool

// afterCollection raises the bound, if that is due, when garbage was collected, and each time after that.
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
