package evidence

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
)

// A Device is what the analysis knows of the work of one GPU.
type Device struct {
	Model    *analyze.Device // nil for command buffers whose device is not known
	all      *Busy
	any      *Busy                     // with what processes ran that are not in the trace
	byThread map[*analyze.Thread]*Busy // by who committed
	running  []running                 // by begin: from the first work of each command buffer to its last
	rows     []running                 // by begin: the times in which it worked
	latest   []analyze.Nanos           // latest end of running[:i+1]
}

// running is the time of one command buffer on the GPU, in the window.
type running struct {
	analyze.Interval
	buffer *analyze.CommandBuffer
}

// intervals are the times of command buffers.
func intervals(of []running) (list []analyze.Interval) {
	for _, r := range of {
		list = append(list, r.Interval)
	}
	return list
}

// DeviceOf is where a command buffer runs; the first device where that is not known.
func (ev *Evidence) DeviceOf(b *analyze.CommandBuffer) *Device {
	if d := ev.devices[modelOf(b)]; d != nil {
		return d
	}
	if len(ev.deviceOrder) > 0 {
		return ev.deviceOrder[0]
	}
	return &Device{}
}

// modelOf is the device that a command buffer's queue is of; nil where that is not known.
func modelOf(b *analyze.CommandBuffer) *analyze.Device {
	if b == nil || b.Queue == nil {
		return nil
	}
	return b.Queue.Device
}

// findDevices sorts the command buffers' GPU times by device and by thread.
func (ev *Evidence) findDevices() {
	ev.devices = map[*analyze.Device]*Device{}
	for b := range ev.Trace.Buffers() {
		gpu := b.GPU.Within(ev.Trace.Window)
		if !b.GPU.Known() || gpu.End < gpu.Begin {
			continue
		}
		d := entry(ev.devices, modelOf(b))
		if len(d.running) == 0 {
			d.Model = modelOf(b)
			ev.deviceOrder = append(ev.deviceOrder, d)
		}
		d.running = append(d.running, running{gpu, b})
		if b.OneRow() && d.rows == nil {
			continue
		}
		if d.rows == nil { // all before have one row, which is what they ran
			d.rows = slices.Clone(d.running[:len(d.running)-1])
		}
		for w := range b.GPUWork() {
			if row := w.Interval.Within(ev.Trace.Window); row.End >= row.Begin {
				d.rows = append(d.rows, running{row, b})
			}
		}
	}
	elsewhere := map[*analyze.Device][]analyze.Interval{}
	for _, w := range ev.Trace.Elsewhere {
		elsewhere[w.Device] = append(elsewhere[w.Device], w.Interval.Within(ev.Trace.Window))
	}
	for _, d := range ev.deviceOrder {
		sortByBegin(d.running)
		if d.rows == nil {
			d.rows = d.running
		} else {
			sortByBegin(d.rows)
		}
		d.all, d.byThread = unite(d.rows)
		d.any = d.all
		if others := elsewhere[d.Model]; len(others) > 0 {
			d.any = NewBusy(append(others, d.all.Spans()...))
		}
		d.latest = make([]analyze.Nanos, len(d.running))
		end := analyze.Nanos(0)
		for i := range d.running {
			end = max(end, d.running[i].End)
			d.latest[i] = end
		}
	}
}

// unite is when some work ran that is sorted by its beginning, in all and for each thread.
func unite(rows []running) (all *Busy, byThread map[*analyze.Thread]*Busy) {
	all, byThread = &Busy{spans: make([]analyze.Interval, 0, len(rows))}, map[*analyze.Thread]*Busy{}
	for i := range rows {
		all.extend(rows[i].Interval)
		entry(byThread, rows[i].buffer.Committed.Thread).extend(rows[i].Interval)
	}
	all.add()
	for _, by := range byThread {
		by.add()
	}
	return all, byThread
}

// Devices are those that ran something, in the order in which they did.
func (ev *Evidence) Devices() []*Device { return ev.deviceOrder }

// Runs visits the command buffers that ran on the device, by begin: each with the time from its first work to its last.
func (d *Device) Runs(visit func(analyze.Interval, *analyze.CommandBuffer)) {
	for _, r := range d.running {
		visit(r.Interval, r.buffer)
	}
}

// from is the work that may still run at t, by begin: all that began after it, and what began before and may not be
// over.
func (d *Device) from(t analyze.Nanos) []running {
	return d.running[sort.Search(len(d.latest), func(i int) bool { return d.latest[i] > t }):]
}

func sortByBegin(r []running) {
	slices.SortFunc(r, func(a, b running) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.buffer.ID, b.buffer.ID))
	})
}
