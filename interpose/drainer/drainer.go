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
	// roundPause is how many milliseconds the drainer sleeps between rounds while the program makes calls. Usually the
	// collector reads the records directly in the shared memory. The drainer acts in two cases: a ring (a thread's
	// buffer of records) fills quickly or is not read by the collector; or data exists that only the process itself
	// has.
	roundPause = 80
	// hurryPause is how long, in milliseconds, the drainer waits for the collector to empty a ring (a thread's buffer
	// of records) after it has notified the collector. If the ring becomes half full within this time, the drainer
	// empties it itself.
	hurryPause = 10
	// samplePauses: the drainer takes a clock sample in every third round that found records.
	samplePauses = 3
)

// A Process is what the drainer calls in the process that it belongs to. C code implements it; tests use another
// implementation. Methods that send return false once the collector is gone.
type Process interface {
	// Send sends a frame with the content of a ring (a thread's buffer of records). The payload is `a` followed by
	// `b`; the caller may reuse both when Send returns.
	Send(kind, ring uint32, position uint64, a, b []byte) bool
	// Name sends the names of threads and the loaded libraries that were not sent before.
	Name() bool
	// Sample takes a clock sample, stores it in the shared memory and sends it.
	Sample() bool
	// ThreadTimes sends the processor times of threads.
	ThreadTimes() bool
	// AskToBeWoken asks the next thread that writes a record to wake the drainer. It returns true if the drainer had
	// already asked and no thread has written since: the drainer may then sleep without a time limit.
	AskToBeWoken() bool
	// Wait waits until the doorbell rings (a semaphore on which threads wake the drainer) or the given number of
	// milliseconds has passed; a negative number means no limit. It returns true if the doorbell rang.
	Wait(milliseconds int) bool
}

// Drain moves records and facts from the shared memory at region to the collector. It returns when the collector is
// gone.
func Drain(region unsafe.Pointer, process Process) {
	g := rings{start: region, process: process}
	rounds, quiet, after := 0, false, pause
	waited := 0 // milliseconds waited since the last roundPause ended
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
			wait, rounds = -1, 0 // no thread has written for a whole roundPause: the activity has ended
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
