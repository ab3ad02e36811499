package evidence

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
)

// GPUWork has the times of all command buffers on the trace's GPUs, by GPU.
type GPUWork struct {
	Devices []*Device // the GPUs that ran something, in the order of their first work
	byModel map[*analyze.Device]*Device
	trace   *analyze.Trace
}

// A Device has the work of one GPU.
type Device struct {
	Model    *analyze.Device // nil for command buffers whose device is not known
	number   int             // index in GPUWork.Devices
	all      *Busy
	any      *Busy                     // including work of processes that are not in the trace
	byThread map[*analyze.Thread]*Busy // by the thread that committed
	running  []running                 // sorted by begin: from the first work of each command buffer to its last
	rows     []running                 // sorted by begin: the times in which each command buffer worked
	latest   []analyze.Nanos           // latest end of running[:i+1]
}

// running is the time of one command buffer on the GPU, cut to the trace's time range.
type running struct {
	analyze.Interval
	buffer *analyze.CommandBuffer
}

// intervals returns the times of command buffers.
func intervals(of []running) (list []analyze.Interval) {
	for _, r := range of {
		list = append(list, r.Interval)
	}
	return list
}

// Of returns the device on which a command buffer runs. If that is not known, it returns the first device, or an
// empty one if the trace has none.
func (g *GPUWork) Of(b *analyze.CommandBuffer) *Device {
	if d := g.byModel[modelOf(b)]; d != nil {
		return d
	}
	if len(g.Devices) > 0 {
		return g.Devices[0]
	}
	return &Device{}
}

// modelOf returns the device of a command buffer's queue, or nil if that is not known.
func modelOf(b *analyze.CommandBuffer) *analyze.Device {
	if b == nil || b.Queue == nil {
		return nil
	}
	return b.Queue.Device
}

// Locate collects the GPU times of a trace's command buffers by device, and on each device by committing thread.
func Locate(t *analyze.Trace) *GPUWork {
	g := &GPUWork{trace: t, byModel: map[*analyze.Device]*Device{}}
	for b := range t.Buffers() {
		gpu := b.GPU.Intersect(t.TimeRange)
		if !b.GPU.Known() || gpu.End < gpu.Begin {
			continue
		}
		d := entry(g.byModel, modelOf(b))
		if len(d.running) == 0 {
			d.Model, d.number = modelOf(b), len(g.Devices)
			g.Devices = append(g.Devices, d)
		}
		d.running = append(d.running, running{gpu, b})
		if b.OneRow() && d.rows == nil {
			continue
		}
		if d.rows == nil { // all earlier command buffers have a single row, so rows equals running up to here
			d.rows = slices.Clone(d.running[:len(d.running)-1])
		}
		for w := range b.GPUWork() {
			if row := w.Interval.Intersect(t.TimeRange); row.End >= row.Begin {
				d.rows = append(d.rows, running{row, b})
			}
		}
	}
	elsewhere := map[*analyze.Device][]analyze.Interval{}
	for _, w := range t.Elsewhere {
		elsewhere[w.Device] = append(elsewhere[w.Device], w.Interval.Intersect(t.TimeRange))
	}
	for _, d := range g.Devices {
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
	return g
}

// unite returns the union of the times of all rows, and one union for each committing thread. A row is a time in which
// a command buffer worked on the GPU; one command buffer may have several. If the rows are not sorted by begin, the
// unions are wrong.
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

// Runs calls visit for each command buffer that ran on the device, in order of begin. The interval lasts from the
// command buffer's first work on the GPU to its last.
func (d *Device) Runs(visit func(analyze.Interval, *analyze.CommandBuffer)) {
	for _, r := range d.running {
		visit(r.Interval, r.buffer)
	}
}

// from returns the part of d.running from the first command buffer on that may still run at t. It may include command
// buffers that ended before `t`, so callers must compare the times themselves.
func (d *Device) from(t analyze.Nanos) []running {
	return d.running[sort.Search(len(d.latest), func(i int) bool { return d.latest[i] > t }):]
}

func sortByBegin(r []running) {
	slices.SortFunc(r, func(a, b running) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.buffer.ID, b.buffer.ID))
	})
}
