package evidence

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// AddLoad returns gpu with three fields of each device filled in: Backlog (how much work was ready while the device
// was busy), Growth (how many more command buffers run for each further ready one) and Crowding (how much concurrent
// work slows each other down). gpu itself is not changed.
func AddLoad(gpu GPU, work *GPUWork, releases *Releases, lines *Lines) GPU {
	devices := slices.Clone(gpu.Devices)
	for i, d := range work.Devices {
		use := &devices[i]
		use.Backlog, use.Growth = backlog(d, releases, lines)
		use.Crowding = crowding(d, analyze.LabelsRepeat(work.trace, policy.FewestSamples.Count()))
	}
	gpu.Devices = devices
	return gpu
}

// MeasureGPU sums up the GPUs' busy and idle time, and what the threads did during the idle gaps that their commits
// ended.
func MeasureGPU(work *GPUWork, blocked Blocked) GPU {
	g := GPU{}
	for _, d := range work.Devices {
		use := useOf(d, work.trace.TimeRange)
		g.Devices = append(g.Devices, use)
		g.Busy += use.Busy
		g.Sum += use.Sum
		g.addIdle(d, use, idleWork{work.trace.Source.HasWaits(), blocked})
	}
	for b := range work.trace.Buffers() {
		if latency, known := b.StartLatency(work.trace.TimeRange); known && work.trace.Began(b.Committed.Begin) {
			g.StartLatency.Add(latency)
		}
	}
	g.sum(work.trace.TimeRange)
	return g
}

// useOf sums up the busy time, active time and capacity of device d within the window.
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

// backlog returns the time in which the device was busy while ready work had not begun. Work that is blocked by its
// position in a queue does not count, because then the queue is the limit and not the device. `growth` tells a full
// device from one that is about to begin the work: however much more is ready, a full device runs the same number of
// command buffers.
func backlog(d *Device, releases *Releases, lines *Lines) (backlog analyze.Nanos, growth float64) {
	var pending []analyze.Interval
	latency, encoded := startLatency(releases), releases.trace.Encoded()
	for _, r := range d.running {
		x := releases.ReleaseOf(r.buffer.Index)
		// an empty command buffer, which exists only to be waited for, is no work
		if x == nil || x.At+latency >= r.Begin || encoded && r.buffer.Empty() {
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

// startLatency returns the shortest delay with which the GPU began ready work, at most policy.LongestHandOff. Work that
// began within this time did not wait for the GPU.
func startLatency(releases *Releases) analyze.Nanos {
	least := policy.LongestHandOff.Nanos() // a longer time is not latency
	for b, x := range releases.All() {
		if b.GPU.Known() && b.GPU.Begin > x.At {
			least = min(least, b.GPU.Begin-x.At)
		}
	}
	return least
}
