package record

import (
	"runtime"
	"sync"
)

// onOneProcessor limits the Go code of mtrace to one processor while the program runs; calling `all` removes the
// limit. With more, Go's scheduler wakes a second thread whenever a goroutine becomes ready, which takes a processor
// from the program.
func onOneProcessor() (all func()) {
	before := runtime.GOMAXPROCS(1)
	return sync.OnceFunc(func() { runtime.GOMAXPROCS(before) })
}
