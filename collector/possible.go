package collector

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A process counts in its own memory, where a stray write of the program lands as easily as a true count: what it says
// is believed as far as it is possible, and what is not is reported and left out of all sums.

const (
	// fastestCall is less than any thread needs to record a call, or to count one that it drops: two readings of the
	// clock take longer.
	fastestCall = 4 * time.Nanosecond
	// beforehand is how long a process may have counted before it was known here: its connection waits while the
	// collector is starved.
	beforehand = time.Minute
	// mostDoubts bounds the lines about one process.
	mostDoubts = 16
)

// possible is how much one thread can have counted in the time that its process was there, at most.
func possible(there time.Duration) uint64 { return uint64((there + beforehand) / fastestCall) }

// possible is the same for a thread of the process, now.
func (o *recordOrder) possible() uint64 { return possible(time.Since(o.began)) }

// checkPosition refuses a place that a ring cannot have come to.
func (o *recordOrder) checkPosition(r *ring, position uint64) error {
	if position > o.possible() {
		return fmt.Errorf("ring %d: position %d is beyond every ring: no thread can have come there", r.index, position)
	}
	return nil
}

// doubt notes something that the process claims and that cannot be.
func (t *processTrace) doubt(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !slices.Contains(t.doubts, line) && len(t.doubts) < mostDoubts {
		t.doubts = append(t.doubts, line)
	}
}

// A limit is what a counter of a process may have come to, and who is told when it has not.
type limit struct {
	trace *processTrace
	most  uint64 // of one thread
}

// believe is the counter when it is possible, and else 0, which is reported. where is a ring, or empty for the process.
func (l limit) believe(n uint64, where, what string) uint64 {
	if n <= l.most {
		return n
	}
	l.trace.doubt("%sit claims %d %s, more than there can be in its time: they are not counted, and how many there "+
		"were is not known", where, n, what)
	return 0
}

// all is the limit for all threads of the process together.
func (l limit) all() limit {
	if processors := uint64(runtime.NumCPU()); l.most < math.MaxUint64/processors {
		l.most *= processors
	}
	return l
}

// losses are the process's own counters.
func (l limit) losses(n wire.Losses, end *tracefile.End) {
	all := l.all()
	end.Unringed = all.believe(n.Unringed, "", "records without a ring")
	end.Unnumbered = all.believe(n.Unnumbered, "", "objects without a number")
	end.Forks = all.believe(n.Forks, "", "forks")
	end.Rejected = all.believe(n.Rejected, "", "calls of dying threads")
}

// audit is a count of command buffers.
func (l limit) audit(a wire.Audit, where, what string) wire.Audit {
	a.Reached = l.believe(a.Reached, where, what)
	a.Missed = min(a.Reached, l.believe(a.Missed, where, "missed "+what))
	return a
}

// where begins a line about a ring.
func (r *ring) where() string { return fmt.Sprintf("ring %d: ", r.index) }
