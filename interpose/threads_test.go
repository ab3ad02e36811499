package main

import (
	"strconv"
	"testing"

	"mtrace/collector/wire"
)

// Sixteen threads make the process's first Metal calls at the same moment: one of them sets everything up, none loses a
// call.
func TestFirstCallOnManyThreads(t *testing.T) {
	for range 20 {
		trace(t, client(t, "threads", "100")).compare(t)
	}
}

// More threads than there are rings, one after the other: the rings of ended threads are reused, and each thread's
// records stay its own.
func TestRingsAreUsedAgain(t *testing.T) {
	r := trace(t, client(t, "short-threads", "1000"))
	r.compare(t)
	p := r.tracees[0]
	if lost := p.region.Losses(); lost.Unringed > 0 || lost.Rejected > 0 {
		t.Errorf("lost calls: %+v", lost)
	}
	if used := p.region.RingsUsed(); used >= wire.RingCount {
		t.Errorf("all %d rings were used", used)
	}
}

// Threads take object numbers in batches. Two threads that created objects at the same time would mix them up if they
// took the same batch. If the unused numbers of an ended thread were lost, a program of many short threads would use up
// the numbers, by which readers index tables.
func TestThreadsShareNumbers(t *testing.T) {
	for _, c := range []struct {
		scenario string
		n, made  int
	}{{"threads", 100, 16 * 100}, {"short-threads", 1000, 1000}} {
		t.Run(c.scenario, func(t *testing.T) {
			r := trace(t, client(t, c.scenario, strconv.Itoa(c.n)))
			objects := 2 * c.made // a command buffer and an encoder each
			numbers, largest := map[uint64]bool{}, uint64(0)
			for _, e := range r.events(t) {
				if s := e.Call.String(); s == "commandBufferWithDescriptor:" || s == "computeCommandEncoder" {
					numbers[e.Arg] = true
					largest = max(largest, e.Arg)
				}
			}
			if len(numbers) != objects {
				t.Errorf("%d objects have %d numbers", objects, len(numbers))
			}
			const atATime, others = 64, 100
			if most := uint64(objects + others + atATime*int(r.tracees[0].region.RingsUsed())); largest > most {
				t.Errorf("%d objects are numbered up to %d", objects, largest)
			}
		})
	}
}

// A thread records faster than the rings are drained: records without space are counted, and recorded and counted ones
// add up to all. With MTRACE_ON_FULL=block the thread waits and nothing is lost. The thread may also have lost a few
// records of waits, as for the allocator's lock on a busy machine.
func TestFullRing(t *testing.T) {
	const made, waits = 2000000, 100
	for _, mode := range []string{"drop", "block"} {
		t.Run(mode, func(t *testing.T) {
			cmd := client(t, "flood", "2000000")
			cmd.Env = []string{"MTRACE_ON_FULL=" + mode}
			r := trace(t, cmd)
			p := r.tracees[0]
			recorded, dropped := 0, uint64(0)
			for _, e := range p.events(t) {
				if e.Call.String() == "endEncoding" {
					recorded++
				}
			}
			for i := range p.rings {
				dropped += p.region.Ring(i).Dropped()
			}
			if both := recorded + int(dropped); both < made || both > made+waits {
				t.Errorf("%d recorded and %d dropped are not %d", recorded, dropped, made)
			}
			if mode == "block" && dropped > 0 {
				t.Errorf("%d dropped although the thread was to wait", dropped)
			}
		})
	}
}
