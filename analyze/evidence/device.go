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

// DeviceOf is where a command buffer runs; the first device where that is not known.
func (ev *Evidence) DeviceOf(b *analyze.CommandBuffer) *Device {
	var model *analyze.Device
	if b != nil && b.Queue != nil {
		model = b.Queue.Device
	}
	if d := ev.devices[model]; d != nil {
		return d
	}
	if len(ev.deviceOrder) > 0 {
		return ev.deviceOrder[0]
	}
	return &Device{}
}

// findDevices sorts the command buffers' GPU times by device and by thread.
func (ev *Evidence) findDevices() {
	ev.devices = map[*analyze.Device]*Device{}
	all := map[*Device][]analyze.Interval{}
	byThread := map[*Device]map[*analyze.Thread][]analyze.Interval{}
	for _, b := range ev.Trace.CommandBuffers {
		if !b.GPU.Known() {
			continue
		}
		gpu := Clip(b.GPU, ev.Trace.Window)
		if gpu.End < gpu.Begin {
			continue
		}
		var model *analyze.Device
		if b.Queue != nil {
			model = b.Queue.Device
		}
		d := ev.devices[model]
		if d == nil {
			d = &Device{Model: model, byThread: map[*analyze.Thread]*Busy{}}
			ev.devices[model] = d
			ev.deviceOrder = append(ev.deviceOrder, d)
			byThread[d] = map[*analyze.Thread][]analyze.Interval{}
		}
		d.running = append(d.running, running{gpu, b})
		for w := range b.GPUWork() {
			row := Clip(w.Interval, ev.Trace.Window)
			if row.End < row.Begin {
				continue
			}
			d.rows = append(d.rows, running{row, b})
			all[d] = append(all[d], row)
			byThread[d][b.Committed.Thread] = append(byThread[d][b.Committed.Thread], row)
		}
	}
	elsewhere := map[*analyze.Device][]analyze.Interval{}
	for _, w := range ev.Trace.Elsewhere {
		elsewhere[w.Device] = append(elsewhere[w.Device], Clip(w.Interval, ev.Trace.Window))
	}
	for _, d := range ev.deviceOrder {
		d.all = NewBusy(all[d])
		d.any = d.all
		if others := elsewhere[d.Model]; len(others) > 0 {
			d.any = NewBusy(append(others, d.all.Spans()...))
		}
		for t, intervals := range byThread[d] {
			d.byThread[t] = NewBusy(intervals)
		}
		sortByBegin(d.running)
		sortByBegin(d.rows)
		end := analyze.Nanos(0)
		for _, r := range d.running {
			end = max(end, r.End)
			d.latest = append(d.latest, end)
		}
	}
}

// from is the work that may still run at t, by begin: all that began after it, and what began before and may not be over.
func (d *Device) from(t analyze.Nanos) []running {
	return d.running[sort.Search(len(d.latest), func(i int) bool { return d.latest[i] > t }):]
}

func sortByBegin(r []running) {
	slices.SortFunc(r, func(a, b running) int {
		if c := cmp.Compare(a.Begin, b.Begin); c != 0 {
			return c
		}
		return cmp.Compare(uint64(a.buffer.ID), uint64(b.buffer.ID))
	})
}
