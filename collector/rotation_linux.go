package collector

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// A rotation moves the thread that reads the ring buffers from one processor to the next while it has to share
// processors with the traced program. The kernel leaves a thread on its processor when all others are busy, too.
// Without a rotation the collector would always slow the same thread of the program. A program that waits for its
// slowest thread would then lose as much time as the collector uses altogether.
type rotation struct {
	processors []int        // processors that this process may use; no rotation with fewer than two
	allowed    *unix.CPUSet // these processors as a set
	next       int          // index in processors
	shared     bool         // the last round shared its processor with another thread
	thread     int          // the thread that reads the rings in this round
	preempted  int64        // how often the thread had been preempted before the round

	move func(thread int, to *unix.CPUSet) error // sched_setaffinity; thread 0 is the calling one
}

func newRotation() *rotation {
	r := &rotation{allowed: &unix.CPUSet{}, move: unix.SchedSetaffinity}
	if unix.SchedGetaffinity(0, r.allowed) != nil {
		return r
	}
	for i := range len(r.allowed) * 64 {
		if r.allowed.IsSet(i) {
			r.processors = append(r.processors, i)
		}
	}
	return r
}

// begin is called when a reading of the rings starts. late reports whether the calling thread woke too late, because
// it waited for a processor. If the previous reading was disturbed by another thread, begin moves to the next
// processor.
func (r *rotation) begin(late bool) {
	if len(r.processors) < 2 {
		return
	}
	r.thread = unix.Gettid()
	if r.shared {
		r.next = (r.next + 1) % len(r.processors)
		r.moveTo(r.processors[r.next])
	}
	r.preempted = preemptions()
	r.shared = late
}

// moveTo moves the calling thread to a processor, but does not bind it to that processor.
func (r *rotation) moveTo(processor int) {
	var one unix.CPUSet
	one.Set(processor)
	if r.move(0, &one) == nil && r.move(0, r.allowed) != nil {
		r.processors = nil // never leave other threads of Go bound to a processor as well
	}
}

// end is called when the reading of the rings that begin announced is over. It notes whether another thread
// preempted the reading.
func (r *rotation) end() {
	if len(r.processors) < 2 {
		return
	}
	r.shared = r.shared || unix.Gettid() == r.thread && preemptions() > r.preempted
}

// preemptions returns how often the calling thread had to leave its processor to another thread.
func preemptions() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(unix.RUSAGE_THREAD, &usage) != nil {
		return 0
	}
	return usage.Nivcsw
}
