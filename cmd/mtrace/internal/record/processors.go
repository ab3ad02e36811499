package record

import (
	"runtime"
	"sync"
)

// onOneProcessor limits Go to one processor until all is called; calling all again is harmless. While a program runs,
// mtrace has little to do, many times a second. With more than one processor, the runtime would each time wake a second
// thread to look for work, which takes a processor from the program.
func onOneProcessor() (all func()) {
	before := runtime.GOMAXPROCS(1)
	return sync.OnceFunc(func() { runtime.GOMAXPROCS(before) })
}
