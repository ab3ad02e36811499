package main

// #include "drainer.h"
// #include "threadtimes.h"
import "C"

import (
	"runtime"
	"sync/atomic"
)

const (
	// roundPause is how long the drainer sleeps while calls are made, in milliseconds. In all that time it does nothing with the records:
	// the collector reads them where they lie. It is there for a ring that fills in a hurry, for one the collector neglects, and for
	// what only the process itself can say.
	roundPause = 80
	// samplePauses is how many rounds with records pass between two clock samples.
	samplePauses = 3
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
	region := region{start: C.mt_drainer_region()}
	rounds, quiet := 0, false
	for {
		active, ok := region.drain()
		ok = ok && C.mt_drainer_name() != 0
		if ok && active && rounds%samplePauses == 0 {
			ok = C.mt_drainer_sample() != 0
		}
		ok = ok && (!active && quiet || C.mt_thread_times_send() != 0)
		pause := C.int(roundPause)
		if active {
			rounds++
		} else if quiet && C.mt_drainer_ask_to_be_woken() != 0 {
			pause, rounds = -1, 0 // it was asked a whole pause ago and nobody has written since: this is the end of the activity
		}
		quiet = !active
		if !ok {
			select {} // The collector is gone; the program goes on.
		}
		C.mt_drainer_wait(pause)
	}
}

// drain makes one round over the rings and sends what cannot wait for the collector. Active: something was recorded, or lies there,
// since the last round. Not ok: the collector is gone.
func (g *region) drain() (active, ok bool) {
	for i := range min(atomic.LoadUint32(g.word32(C.MT_REGION_RINGS_USED_OFFSET)), C.MT_RING_COUNT) {
		r := g.ring(i)
		before, now := g.looks[i], r.look()
		g.looks[i] = now
		active = active || now != before || !now.empty()
		if now.empty() || !now.urgent() && !now.neglectedSince(before) && atomic.LoadUint32(r.word32(C.MT_RING_STATE_OFFSET)) != C.MT_RING_EXITED {
			continue
		}
		claim := r.word32(C.MT_RING_CLAIM_OFFSET)
		if !atomic.CompareAndSwapUint32(claim, C.MT_CLAIM_NOBODY, C.MT_CLAIM_DRAINER) {
			continue
		}
		ok := r.sendFacts() && r.sendRecords()
		atomic.StoreUint32(claim, C.MT_CLAIM_NOBODY)
		if !ok {
			return active, false
		}
	}
	return active, true
}
