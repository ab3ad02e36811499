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

// A process keeps its counters in its own memory, where a stray write of the program can change them. The collector
// accepts only values that are possible. It reports impossible values and leaves them out of all sums: one wrong
// counter would otherwise make millions of records appear lost.

const (
	// fastestCall is a lower bound of the time that it takes to record a call or to count a dropped call: two
	// readings of the clock alone take longer.
	fastestCall = 4 * time.Nanosecond
	// beforehand is the maximum time for which a process may have recorded before the collector accepted its
	// connection, for instance because the collector got no processor.
	beforehand = time.Minute
	// mostDoubts limits the number of impossible values that are reported for one process.
	mostDoubts = 16
)

// possible returns an upper bound for the records that one thread can have written. `there` is the time since its
// process connected.
func possible(there time.Duration) uint64 { return uint64((there + beforehand) / fastestCall) }

// possible returns an upper bound for the records that one thread of the process can have written until now.
func (o *recordOrder) possible() uint64 { return possible(time.Since(o.began)) }

// checkPosition returns an error if position is impossible: no thread can have recorded that much since the process
// connected.
func (o *recordOrder) checkPosition(r *ring, position uint64) error {
	if position > o.possible() {
		return fmt.Errorf("ring %d: position %d is impossible: no thread can have recorded that much", r.index,
			position)
	}
	return nil
}

// doubt stores a line about an impossible value that the process reported; the trace and the result list these lines.
func (t *processTrace) doubt(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !slices.Contains(t.doubts, line) && len(t.doubts) < mostDoubts {
		t.doubts = append(t.doubts, line)
	}
}

// A limit is the largest possible value of one thread's counter. A larger value cannot be true (the program may
// have overwritten the counter), and becomes a warning in the trace.
type limit struct {
	trace *processTrace
	most  uint64 // largest possible value for one thread
}

// believe returns n if it is possible. Otherwise it reports the value and returns 0, so that sums stay right. The
// report begins with `where`: a ring buffer such as "ring 3: ", or an empty text for the whole process.
func (l limit) believe(n uint64, where, what string) uint64 {
	if n <= l.most {
		return n
	}
	l.trace.doubt("%sit reports %d %s, more than its running time allows: "+
		"the real number is not known, and counts as 0", where, n, what)
	return 0
}

// all returns the limit for a counter to which all threads of the process add.
func (l limit) all() limit {
	if processors := uint64(runtime.NumCPU()); l.most < math.MaxUint64/processors {
		l.most *= processors
	}
	return l
}

// losses copies the process's counters of lost records to end, without impossible values.
func (l limit) losses(n wire.Losses, end *tracefile.End) {
	all := l.all()
	end.Unringed = all.believe(n.Unringed, "", "records without a ring")
	end.Unnumbered = all.believe(n.Unnumbered, "", "objects without a number")
	end.Forks = all.believe(n.Forks, "", "forks")
	end.Rejected = all.believe(n.Rejected, "", "calls of dying threads")
}

// audit returns the counts of seen and missed command buffers, with impossible values set to 0.
func (l limit) audit(a wire.Audit, where, what string) wire.Audit {
	a.Reached = l.believe(a.Reached, where, what)
	a.Missed = min(a.Reached, l.believe(a.Missed, where, "missed "+what))
	return a
}

// where returns the text with which a report about a ring buffer begins.
func (r *ring) where() string { return fmt.Sprintf("ring %d: ", r.index) }
