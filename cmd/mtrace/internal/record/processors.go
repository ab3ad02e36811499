package record

import (
	"runtime"
	"sync"
)

// onOneProcessor has Go use one processor at a time until all is called, which may be called again. While a program
// runs, mtrace has little to do, many times a second: with more than one processor, the runtime wakes a second thread
// each time to look whether there is work for it as well, and that thread takes a processor from the program.
func onOneProcessor() (all func()) {
	before := runtime.GOMAXPROCS(1)
	return sync.OnceFunc(func() { runtime.GOMAXPROCS(before) })
}
