// Package memory sums what a program allocated for the GPU.
package memory

import "mtrace/analyze"

// A Use is the allocations of a trace.
type Use struct {
	Allocations int
	Bytes       uint64
	Peak        uint64 // at most this much was alive at a time
	PeakExact   bool   // Peak is exact: otherwise releases are not in the trace, and only reused addresses lower it
	Reused      int    // allocations that got an address that an earlier one had had
	Addressed   int    // allocations whose address is known
	ByStorage   map[string]Total
}

// A Total counts allocations.
type Total struct {
	Count int
	Bytes uint64
}

// ReuseShare is the share of allocations whose memory had been another allocation's before; false when addresses are not known.
func (u *Use) ReuseShare() (share float64, known bool) {
	if u.Addressed == 0 {
		return 0, false
	}
	return float64(u.Reused) / float64(u.Addressed), true
}

// Summarize sums the allocations. An address that comes again was released before.
func Summarize(t *analyze.Trace) *Use {
	u := &Use{ByStorage: map[string]Total{}}
	type place struct {
		process *analyze.Process
		address uint64
	}
	alive := map[place]uint64{}
	var now uint64
	for i := range t.Allocations {
		a := &t.Allocations[i]
		u.Allocations++
		u.Bytes += a.Bytes
		s := u.ByStorage[a.Storage]
		s.Count++
		s.Bytes += a.Bytes
		u.ByStorage[a.Storage] = s
		now += a.Bytes
		if a.Address != 0 {
			at := place{a.Thread.Process, a.Address}
			u.Addressed++
			if before, again := alive[at]; again {
				u.Reused++
				now -= before
			}
			alive[at] = a.Bytes
		}
		u.Peak = max(u.Peak, now)
	}
	return u
}
