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

// A process counts in its own memory, where a stray write of the program can change a counter. Values are accepted only
// if they are possible; impossible values are reported and left out of all sums.

const (
	// fastestCall is a lower bound of the time for recording a call or counting a dropped one: two readings of the
	// clock take longer.
	fastestCall = 4 * time.Nanosecond
	// beforehand is the maximum time that a process may have counted before it was known here: its connection waits
	// while the collector gets no processor.
	beforehand = time.Minute
	// mostDoubts bounds the lines about one process.
	mostDoubts = 16
)

// possible returns the maximum that one thread can have counted in the time since its process connected.
func possible(there time.Duration) uint64 { return uint64((there + beforehand) / fastestCall) }

// possible returns the current maximum for a thread of the process.
func (o *recordOrder) possible() uint64 { return possible(time.Since(o.began)) }

// checkPosition refuses a position that a ring cannot have reached.
func (o *recordOrder) checkPosition(r *ring, position uint64) error {
	if position > o.possible() {
		return fmt.Errorf("ring %d: position %d is impossible: no thread can have recorded that much", r.index, position)
	}
	return nil
}

// doubt notes an impossible value that the process reported.
func (t *processTrace) doubt(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !slices.Contains(t.doubts, line) && len(t.doubts) < mostDoubts {
		t.doubts = append(t.doubts, line)
	}
}

// A limit is the maximum of a process's counters, and the receiver of complaints about them.
type limit struct {
	trace *processTrace
	most  uint64 // of one thread
}

// believe returns the counter if it is possible; otherwise it reports the value and returns 0. where is a ring, or
// empty for the process.
func (l limit) believe(n uint64, where, what string) uint64 {
	if n <= l.most {
		return n
	}
	l.trace.doubt("%sit claims %d %s, more than its running time allows: they are not counted, and how many there "+
		"were is not known", where, n, what)
	return 0
}

// all returns the limit for all threads of the process together.
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

// audit checks a count of command buffers.
func (l limit) audit(a wire.Audit, where, what string) wire.Audit {
	a.Reached = l.believe(a.Reached, where, what)
	a.Missed = min(a.Reached, l.believe(a.Missed, where, "missed "+what))
	return a
}

// where returns the beginning of a line about a ring.
func (r *ring) where() string { return fmt.Sprintf("ring %d: ", r.index) }
