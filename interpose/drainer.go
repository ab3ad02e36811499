package main

// #include "drainer.h"
// #include "threadtimes.h"
import "C"

import (
	"runtime"
	"sync/atomic"
)

const (
	// shortestPause is how long records may lie in a ring before they are sent, in milliseconds; while nothing comes the
	// pause doubles up to longestPause, and then lasts until the next record.
	shortestPause = 20
	longestPause  = 80
	// samplePauses is how many rounds with records pass between two clock samples.
	samplePauses = 10
	// timesPauses is the same between two looks at the threads' processor times.
	timesPauses = 3
)

// drain moves records and facts to the collector until that is gone. It allocates nothing, so the garbage collector never
// runs in the program.
func drain() {
	runtime.LockOSThread()
	if C.mt_drainer_ready() == 0 {
		return
	}
	if C.mt_drainer_cost() == 0 {
		select {} // The collector is gone; the program goes on.
	}
	region := region{C.mt_drainer_region()}
	pause, rounds := shortestPause, 0
	for {
		moved, ok := region.drain()
		ok = ok && C.mt_drainer_name() != 0
		if ok && moved {
			if rounds%samplePauses == 0 {
				ok = C.mt_drainer_sample() != 0
			}
			if ok && (rounds%timesPauses == 0 || pause > shortestPause) {
				ok = C.mt_thread_times_send() != 0
			}
			pause = shortestPause
			rounds++
		} else if pause < longestPause {
			pause *= 2
		} else if C.mt_drainer_ask_to_be_woken() != 0 {
			// It was asked a whole pause ago and nobody has written since: this is the end of the activity.
			ok = ok && C.mt_thread_times_send() != 0
			pause, rounds = -1, 0
		}
		if !ok {
			select {} // The collector is gone; the program goes on.
		}
		C.mt_drainer_wait(C.int(pause))
		pause = max(pause, shortestPause)
	}
}

// drain makes one round over the rings. It leaves alone those the collector is draining. Not ok: the collector is gone.
func (g region) drain() (moved, ok bool) {
	for i := range min(atomic.LoadUint32(g.word32(C.MT_REGION_RINGS_USED_OFFSET)), C.MT_RING_COUNT) {
		r := g.ring(i)
		claim := r.word32(C.MT_RING_CLAIM_OFFSET)
		if r.drained() || !atomic.CompareAndSwapUint32(claim, C.MT_CLAIM_NOBODY, C.MT_CLAIM_DRAINER) {
			continue
		}
		ok := r.sendFacts() && r.sendRecords()
		atomic.StoreUint32(claim, C.MT_CLAIM_NOBODY)
		if !ok {
			return moved, false
		}
		moved = true
	}
	return moved, true
}
