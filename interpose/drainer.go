package main

// #include "top/drainer.h"
// #include "top/threadtimes.h"
import "C"

import (
	"runtime"
	"unsafe"

	"mtrace/interpose/drainer"
)

// drain runs on the tracer's own thread: it moves records and facts from the shared memory to the collector, and
// returns when the collector is gone.
func drain() {
	runtime.LockOSThread()
	if C.mt_drainer_ready() == 0 {
		return
	}
	if C.mt_drainer_cost() != 0 {
		drainer.Drain(unsafe.Pointer(C.mt_drainer_region()), process{})
	}
	select {} // The collector is gone; the program continues.
}

// A process implements drainer.Process: each method calls the C function that does the work.
type process struct{}

func (process) Send(kind, ring uint32, position uint64, a, b []byte) bool {
	return C.mt_drainer_send(C.uint(kind), C.uint(ring), C.uint64_t(position),
		unsafe.Pointer(unsafe.SliceData(a)), C.size_t(len(a)), unsafe.Pointer(unsafe.SliceData(b)), C.size_t(len(b))) != 0
}
func (process) Name() bool                 { return C.mt_drainer_name() != 0 }
func (process) Sample() bool               { return C.mt_drainer_sample() != 0 }
func (process) ThreadTimes() bool          { return C.mt_thread_times_send() != 0 }
func (process) AskToBeWoken() bool         { return C.mt_drainer_ask_to_be_woken() != 0 }
func (process) Wait(milliseconds int) bool { return C.mt_drainer_wait(C.int(milliseconds)) != 0 }
