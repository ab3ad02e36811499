package main

import (
	"runtime"
	"syscall"
)

// withPriority calls run. Programs that run starts, not from other goroutines, come before most other programs of the
// machine, if the user may do that (root may). It is for tests whose programs compute or poll for times that the test
// compares: on a busy machine, the report of such a program rightly says that its threads wait for processors.
func withPriority(run func()) {
	runtime.LockOSThread() // on Linux, a thread has a priority, and a new process the one of the thread that starts it
	defer runtime.UnlockOSThread()
	if before, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err == nil &&
		syscall.Setpriority(syscall.PRIO_PROCESS, 0, -20) == nil {
		defer syscall.Setpriority(syscall.PRIO_PROCESS, 0, 20-before) // the system call returns 20 less the value
	}
	run()
}
