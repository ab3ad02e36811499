//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Package main is the library that is loaded into a traced process: libmtrace.so, libmtrace.dylib.
//
// The C half records. It hooks the methods of Metal's objects as they appear and writes one record per call into a ring
// of the calling thread, in shared memory. The Go half, this one, moves the records to the collector. The halves share
// only that memory: no thread of the program ever runs Go.
//
// All imported packages run inside the traced program. The packages os, net, time and fmt are not imported on purpose:
// they create timers and descriptors, such as epoll's for a standard input that does not block. sources.go imports
// embed, and thereby time, but calls nothing of it. The runtime must not follow the limits of its control group either,
// for which it would keep two files open.
package main

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -fvisibility=hidden -Wall -Wextra -Werror -Wno-unused-parameter
#cgo linux CFLAGS: -D_GNU_SOURCE
#cgo linux LDFLAGS: -ldl -lpthread -Wl,--wrap=x_cgo_sys_thread_create -Wl,--wrap=_cgo_try_pthread_create
#cgo darwin LDFLAGS: -lobjc -framework Metal
#include "top/drainer.h"
*/
import "C"

import "runtime"

func init() {
	runtime.GOMAXPROCS(1)
	go drain()
}

func main() {}
