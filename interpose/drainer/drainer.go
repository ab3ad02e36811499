// Package drainer moves what threads recorded from the shared memory to the collector. It runs in the traced process,
// in the library's Go half, and asks the C half for all else; see Process. It allocates nothing, so the garbage
// collector never runs in the program.
//
// Memory order: a thread publishes records by storing the ring's head, and takes their slots back when it loads the
// tail; both are atomic. The claim word says who drains: what is between taking and giving it back is of one side only.
package drainer

import "unsafe"

const (
	// roundPause is how long the drainer sleeps while calls are made, in milliseconds. In all that time it does nothing
	// with the records: the collector reads them where they lie. It is there for a ring that fills in a hurry, for one the
	// collector neglects, and for what only the process itself can say.
	roundPause = 80
	// hurryPause is how long it gives a collector that it has called to a ring, unless that fills by half before.
	hurryPause = 10
	// samplePauses is how many rounds with records pass between two clock samples.
	samplePauses = 3
)

// A Process is what the drainer asks of the process that it is in. What sends answers false once the collector is gone.
type Process interface {
	// Send sends a frame about a ring, whose payload is a and then b. Both are read before it returns.
	Send(kind, ring uint32, position uint64, a, b []byte) bool
	// Name sends what was loaded, and named, since the last time.
	Name() bool
	// Sample writes a new clock sample into the shared memory and sends it.
	Sample() bool
	// ThreadTimes sends the processor times of threads.
	ThreadTimes() bool
	// AskToBeWoken asks the writer of the next record to ring the doorbell. True when that was asked before and nobody has
	// written since.
	AskToBeWoken() bool
	// Wait waits until the doorbell rings or the time, in milliseconds, is over; a negative one is without end. True when
	// it rang.
	Wait(milliseconds int) bool
}

// Drain moves records and facts to the collector until that is gone. region is the shared memory.
func Drain(region unsafe.Pointer, process Process) {
	g := rings{start: region, process: process}
	rounds, quiet, after := 0, false, pause
	waited := 0 // of a whole pause, after calls
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
			wait, rounds = -1, 0 // it was asked a whole pause ago and nobody has written since: this is the end of the activity
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
