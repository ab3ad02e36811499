// Package drainer moves the records of threads from the shared memory to the collector. It runs in the traced process,
// in the library's Go half, and uses the C half for everything else; see Process. It allocates nothing, so the garbage
// collector never runs in the program.
//
// Memory order: a thread publishes records by storing the ring's head, and regains their slots when it loads the tail;
// both are atomic. The claim word names the side that drains: between taking and releasing the claim only one side
// drains.
package drainer

import "unsafe"

const (
	// roundPause is how long the drainer sleeps while calls are made, in milliseconds. Usually the drainer does not
	// touch the records: the collector reads them in place. The drainer acts for a ring that fills quickly, for a ring
	// that the collector neglects, and for data that only the process itself has.
	roundPause = 80
	// hurryPause is how long, in milliseconds, the drainer waits for a collector that it has notified about a ring,
	// unless half of the ring fills before.
	hurryPause = 10
	// samplePauses is how many rounds with records pass between two clock samples.
	samplePauses = 3
)

// A Process is the drainer's interface to its process. Methods that send return false once the collector is gone.
type Process interface {
	// Send sends a frame about a ring, whose payload is a and then b. It has read both when it returns.
	Send(kind, ring uint32, position uint64, a, b []byte) bool
	// Name sends names and libraries that were not sent before.
	Name() bool
	// Sample writes a new clock sample into the shared memory and sends it.
	Sample() bool
	// ThreadTimes sends the processor times of threads.
	ThreadTimes() bool
	// AskToBeWoken makes the writer of the next record ring the doorbell. It returns true if that was requested before
	// and no thread has written since.
	AskToBeWoken() bool
	// Wait waits until the doorbell rings or the given number of milliseconds has passed; a negative number means no
	// limit. It returns true if the doorbell rang.
	Wait(milliseconds int) bool
}

// Drain moves records and facts to the collector until the collector is gone. region is the shared memory.
func Drain(region unsafe.Pointer, process Process) {
	g := rings{start: region, process: process}
	rounds, quiet, after := 0, false, pause
	waited := 0 // milliseconds waited since the last whole pause
	for {
		active, called, ok := g.drain(after)
		ok = ok && process.Name()
		if ok && active && rounds%samplePauses == 0 {
			ok = process.Sample()
		}
		ok = ok && (!active && quiet || process.ThreadTimes())
		wait := roundPause
		if active {
			rounds++
		} else if quiet && process.AskToBeWoken() {
			wait, rounds = -1, 0 // no thread has written for a whole pause: the activity has ended
		}
		quiet = !active
		if !ok {
			return
		}
		if called {
			wait = hurryPause
		}
		switch rang := process.Wait(wait); {
		case rang:
			after = doorbell
		case called && waited+hurryPause < roundPause:
			after, waited = call, waited+hurryPause
		default:
			after, waited = pause, 0
		}
	}
}
