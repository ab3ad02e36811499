//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Package main is the library that is loaded into a traced process: libmtrace.so, libmtrace.dylib.
//
// The C half records. It hooks the methods of Metal's objects as they appear and writes one record per call into a
// ring of the calling thread, in shared memory. The Go half moves the records to the collector. The two halves share
// only that memory: no thread of the program ever runs Go.
//
// Every imported package runs inside the traced program. Do not import os, net, time or fmt: they create timers and
// descriptors that the program could notice, such as epoll's for a standard input that does not block. sources.go
// imports embed, which imports time, but nothing of time is called. The go:debug lines above keep the runtime from
// following the limits of its control group, for which it would keep two files open.
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
