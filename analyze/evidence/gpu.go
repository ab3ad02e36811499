package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// GPU is what the GPUs of the trace did.
type GPU struct {
	Busy         analyze.Nanos     // union of the rows of GPU work, summed over devices
	BusyShare    float64           // of the window, per device
	Sum          analyze.Nanos     // sum of the rows
	Overlap      float64           // Sum / Busy: how many ran at the same time on average, while one did
	StartLatency analyze.Durations // from commits to the first work
	IdleGaps     []Gap             // the longest, longest first
	Idle         analyze.Nanos
	IdleBy       []IdleCause // longest first
	Devices      []DeviceUse
}

// DeviceUse is what one GPU did between the first commit to it and the last completion.
type DeviceUse struct {
	Device    *analyze.Device // nil when not known
	Active    analyze.Interval
	Busy, Sum analyze.Nanos
	// command buffers that it ran at the same time, leaving out what it did for less than 1% of its busy time
	Capacity int
	Backlog  analyze.Nanos // time in which it was busy while something was ready for it and had not begun
	Growth   float64       // in Backlog: by how many more command buffers ran for each more that ran or was ready
	Crowding Crowding
}

// A Gap is a time in which a GPU had nothing to do, between two command buffers.
type Gap struct {
	analyze.Interval
	Thread *analyze.Thread // committed what ended the gap
	Doing  string          // what that thread did for most of the gap
}

// An IdleCause sums the gaps of a GPU by the thread that ended them and what it did meanwhile.
type IdleCause struct {
	Thread *analyze.Thread
	Doing  string
	Time   analyze.Nanos
	Gaps   int
	// Time by where the commits that ended the gaps were made, as far as that is known
	From map[*analyze.Stack]analyze.Nanos
}

// sum fills what follows from the times of the devices, and puts the gaps in order.
func (g *GPU) sum(window analyze.Interval) {
	if n := analyze.Nanos(len(g.Devices)); n > 0 {
		g.BusyShare = Share(g.Busy, window.Length()*n)
	}
	if g.Busy > 0 {
		g.Overlap = float64(g.Sum) / float64(g.Busy)
	}
	g.longest()
	slices.SortStableFunc(g.IdleBy, func(x, y IdleCause) int { return cmp.Compare(y.Time, x.Time) })
}

// keep keeps a gap that may be one of the longest. Of gaps that are as long the first are listed.
func (g *GPU) keep(gap Gap) {
	if g.IdleGaps = append(g.IdleGaps, gap); len(g.IdleGaps) >= 16*policy.MostGaps {
		g.longest()
	}
}

// longest leaves the longest gaps, in order.
func (g *GPU) longest() {
	slices.SortStableFunc(g.IdleGaps, func(x, y Gap) int { return cmp.Compare(y.Length(), x.Length()) })
	g.IdleGaps = g.IdleGaps[:min(len(g.IdleGaps), policy.MostGaps)]
}

// Use returns what a device did.
func (g *GPU) Use(d *Device) (use DeviceUse) {
	if d != nil && d.number < len(g.Devices) {
		use = g.Devices[d.number]
	}
	return use
}
