package evidence

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// GPU has the activity of the trace's GPUs.
type GPU struct {
	Busy      analyze.Nanos // union of the intervals of GPU work, summed over devices
	BusyShare float64       // Busy as a share of the trace's time range; the mean over devices
	Sum       analyze.Nanos // sum of the lengths of all GPU work rows; above Busy if command buffers ran at the same time
	// Sum / Busy: average number of GPU work rows that ran at the same time while any ran
	Overlap      float64
	StartLatency analyze.Durations // delays from the commit of a command buffer to its first GPU work
	IdleGaps     []Gap             // the longest gaps, longest first
	Idle         analyze.Nanos
	IdleBy       []IdleCause // longest first
	Devices      []DeviceUse
}

// DeviceUse has the activity of one GPU from the first commit to it to the end of its last work.
type DeviceUse struct {
	Device    *analyze.Device // nil when not known
	Active    analyze.Interval
	Busy, Sum analyze.Nanos
	// largest number of command buffers that ran at the same time, ignoring numbers reached for less than 1% of Busy
	Capacity int
	Backlog  analyze.Nanos // time in which it was busy while ready work had not begun
	// how many more command buffers run, within Backlog, for each further one that is running or ready; near 0 if the
	// GPU is full
	Growth   float64
	Crowding Crowding
}

// A Gap is a time between two command buffers in which a GPU was idle.
type Gap struct {
	analyze.Interval
	Thread *analyze.Thread // the thread whose commit ended the gap
	Doing  string          // the activity of that thread for most of the gap
}

// An IdleCause sums idle gaps of a GPU by the thread whose commit ended the gap, and by what that thread did before
// the commit.
type IdleCause struct {
	Thread *analyze.Thread
	Doing  string
	Time   analyze.Nanos
	Gaps   int
	// Time by the stack of the commits that ended the gaps, if known
	From map[*analyze.Stack]analyze.Nanos
}

// sum computes the totals over the devices and sorts the lists. It must be called after the last device is added.
func (g *GPU) sum(window analyze.Interval) {
	if n := analyze.Nanos(len(g.Devices)); n > 0 {
		g.BusyShare = Share(g.Busy, window.Length()*n)
	}
	if g.Busy > 0 {
		g.Overlap = float64(g.Sum) / float64(g.Busy)
	}
	slices.SortStableFunc(g.IdleBy, func(x, y IdleCause) int { return cmp.Compare(y.Time, x.Time) })
}

// keep adds a gap to IdleGaps if it is one of the policy.MostGaps longest. Of gaps of the same length, the earlier ones
// stay.
func (g *GPU) keep(gap Gap) {
	n := len(g.IdleGaps)
	if n == policy.MostGaps && gap.Length() <= g.IdleGaps[n-1].Length() {
		return
	}
	at := sort.Search(n, func(i int) bool { return g.IdleGaps[i].Length() < gap.Length() })
	g.IdleGaps = slices.Insert(g.IdleGaps[:min(n, policy.MostGaps-1)], at, gap)
}

// Use returns the activity of device d, or the zero value if d was not measured.
func (g *GPU) Use(d *Device) (use DeviceUse) {
	if d != nil && d.number < len(g.Devices) {
		use = g.Devices[d.number]
	}
	return use
}
