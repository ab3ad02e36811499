package evidence

import (
	"cmp"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Occupancy describes how busy one GPU was: the GPU that threads wait for most.
type Occupancy struct {
	// the device that threads wait for longest, or the device with the most work if they wait for none
	Busiest DeviceUse
	Busy    float64 // its busy share between its first commit and its last completion
	Pending float64 // share of that time in which it was busy while committed work had not begun
	// thread time queued behind other threads' work in queues that run fewer command buffers at once than the GPU
	// could
	InLines analyze.Nanos
	// the more work was ready, the more the GPU ran at once, so it had spare capacity for the work that had not begun
	HasSpareCapacity bool
	Saturated        bool // the GPU is what threads wait for
	// the GPU is saturated although it begins all ready work at once: concurrent command buffers slow each other down
	Crowded bool
	Buffers int // command buffers that ran, on all devices

	work *GPUWork
}

// FindOccupancy determines how busy the most awaited GPU was, and whether it is saturated.
func FindOccupancy(work *GPUWork, gpu *GPU, lines *Lines) Occupancy {
	o := Occupancy{Busiest: busiestDevice(work, gpu), work: work,
		InLines: SumOf(analyze.Each(work.trace.Waits), lines.InLine)}
	o.Busy = Share(o.Busiest.Busy, o.Busiest.Active.Length())
	o.Pending = Share(o.Busiest.Backlog, o.Busiest.Active.Length())
	// A GPU that is busy all the time has spare capacity if it begins all work at once: then nothing is pending. So a
	// GPU is saturated only if it is busy and, in addition, work is pending or concurrent command buffers slow each
	// other down.
	o.HasSpareCapacity = o.Busiest.Growth >= policy.ConcurrencyGrowth.Value
	o.Crowded = policy.Saturated(o.Busy) && o.Busiest.Crowding.Slope >= policy.DominantShare.Value &&
		o.Busiest.Crowding.ConcurrencyLoss >= policy.LargeShare.Value
	o.Saturated = o.Crowded || policy.Saturated(o.Busy) && o.Pending >= policy.Majority.Value && !o.HasSpareCapacity
	for _, d := range work.Devices {
		o.Buffers += len(d.running)
	}
	return o
}

// BusyThroughout reports whether several threads keep the GPU busy all the time, although it is not saturated: often no
// further command buffer is ready to run, because the threads wait for each other. `steady` is the number of threads
// that commit regularly.
func (o *Occupancy) BusyThroughout(steady int) bool {
	return !o.Saturated && policy.Saturated(o.Busy) && o.Pending >= policy.LargeShare.Value && steady >= 2
}

// Unexplained returns the part of a wait i for command buffer b (nil if unknown) that a full GPU does not explain. If
// the GPU is saturated, that is only the time in which the GPU was idle; otherwise it is the whole wait.
func (o *Occupancy) Unexplained(i analyze.Interval, b *analyze.CommandBuffer) analyze.Nanos {
	d := o.work.byModel[o.Busiest.Device]
	if b != nil {
		d = o.work.Of(b)
	}
	if !o.Saturated || d.Model != o.Busiest.Device {
		return i.Length()
	}
	return i.Length() - d.all.LengthWithin(i)
}

// busiestDevice returns the device that threads wait for longest. Between devices with equal waits it chooses the one
// with the most work.
func busiestDevice(work *GPUWork, gpu *GPU) (most DeviceUse) {
	if len(gpu.Devices) == 1 {
		return gpu.Devices[0]
	}
	waited := map[*analyze.Device]analyze.Nanos{}
	for w := range analyze.Each(work.trace.Waits) {
		if w.Buffer != analyze.NoCommandBuffer {
			waited[work.Of(work.trace.WaitsFor(w)).Model] += w.Length()
		}
	}
	for _, d := range gpu.Devices {
		if c := cmp.Compare(waited[d.Device], waited[most.Device]); most.Busy == 0 || c > 0 || c == 0 && d.Busy > most.Busy {
			most = d
		}
	}
	return most
}

// WaitedWhileBusy returns for how much of two kinds of waits the GPU was busy: waits for other threads' work, and
// waits for a free command buffer (full).
func WaitedWhileBusy(work *GPUWork, full []Acquisition) (sum analyze.Nanos) {
	for w := range analyze.Each(work.trace.Waits) {
		if ForOtherThread(work.trace, w) {
			sum += work.Of(work.trace.WaitsFor(w)).all.LengthWithin(w.Interval)
		}
	}
	for _, c := range full {
		sum += work.Of(c.Buffer).all.LengthWithin(c.Interval)
	}
	return sum
}

// GPUTimes returns the longest and the median GPU time of the command buffers of queue q.
func GPUTimes(t *analyze.Trace, q *analyze.Queue) (most, usual analyze.Nanos) {
	var all []analyze.Nanos
	for b := range t.Buffers() {
		if b.Queue == q && b.GPU.Known() {
			all = append(all, b.GPU.Length())
			most = max(most, b.GPU.Length())
		}
	}
	return most, Median(all)
}
