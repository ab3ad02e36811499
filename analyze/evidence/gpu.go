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

// AddLoad returns what the GPUs did, with the work that was ready for them while they were busy.
func AddLoad(gpu GPU, work *GPUWork, releases *Releases, lines *Lines) GPU {
	devices := slices.Clone(gpu.Devices)
	for i, d := range work.Devices {
		use := &devices[i]
		use.Backlog, use.Growth = backlog(d, releases, lines)
		use.Crowding = crowding(d, work.trace.LabelsRepeat(policy.Sample.Count()))
	}
	gpu.Devices = devices
	return gpu
}

// MeasureGPU sums what the GPUs did, and what threads did in the GPUs' idle gaps.
func MeasureGPU(work *GPUWork, blocked Blocked) GPU {
	g := GPU{}
	for _, d := range work.Devices {
		use := useOf(d, work.trace.Window)
		g.Devices = append(g.Devices, use)
		g.Busy += use.Busy
		g.Sum += use.Sum
		g.addIdle(d, use, idleWork{work.trace.Source.HasWaits(), blocked})
	}
	for b := range work.trace.Buffers() {
		if latency, known := b.StartLatency(work.trace.Window); known && work.trace.Began(b.Committed.Begin) {
			g.StartLatency.Add(latency)
		}
	}
	g.sum(work.trace.Window)
	return g
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

// useOf sweeps over the beginnings and ends of the device's work.
func useOf(d *Device, window analyze.Interval) DeviceUse {
	use := DeviceUse{Device: d.Model, Busy: d.all.Total(), Active: analyze.Interval{Begin: 1<<63 - 1}}
	for _, r := range d.running {
		use.Active.End = max(use.Active.End, r.End)
		use.Active.Begin = min(use.Active.Begin, r.Begin)
		if r.buffer.Committed.Known() {
			use.Active.Begin = min(use.Active.Begin, max(r.buffer.Committed.End, window.Begin))
		}
	}
	for _, r := range d.rows {
		use.Sum += r.Length()
	}
	use.Capacity = counterOf(intervals(d.running)).times(&counter{}).capacity(use.Busy)
	return use
}

// backlog is the time in which the device was busy while something was ready for it and had not begun. What waits for
// its place in a queue is not ready: the device could have begun it, and did not because of the queue. Growth tells
// what waits for room from what is only about to begin: a full device runs as many command buffers, however many more
// are ready.
func backlog(d *Device, releases *Releases, lines *Lines) (backlog analyze.Nanos, growth float64) {
	var pending []analyze.Interval
	latency, encoded := startLatency(releases), releases.trace.Encoded()
	for _, r := range d.running {
		x := releases.Of(r.buffer.Index)
		if x == nil || x.At+latency >= r.Begin || encoded && r.buffer.Empty() { // one to wait for is no work
			continue
		}
		waiting := analyze.Interval{Begin: x.At + latency, End: r.Begin}
		if line, limited := lines.ByQueue[r.buffer.Queue]; limited {
			pending = append(pending, line.full.Gaps(waiting)...)
		} else {
			pending = append(pending, waiting)
		}
	}
	l := counterOf(intervals(d.running)).times(counterOf(pending))
	return l.backlog, l.growth
}

// startLatency is the least time that the GPU took to begin work that was ready.
func startLatency(releases *Releases) analyze.Nanos {
	least := policy.Launch.Nanos() // more is not latency
	for b, x := range releases.All() {
		if b.GPU.Known() && b.GPU.Begin > x.At {
			least = min(least, b.GPU.Begin-x.At)
		}
	}
	return least
}
