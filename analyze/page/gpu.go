package page

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/timeline"
)

// A gpuName identifies one channel of a GPU in all slices (parts) of a run, which are loaded one after another.
// Pointers to devices differ between slices.
type gpuName struct {
	device  analyze.Device
	channel string
}

// gpu has the lanes of one channel of a GPU. Work that ran at the same time is put into different lanes, because
// blocks of a lane must not overlap.
type gpu struct {
	gpuName
	lanes  []*gpuLane
	hidden int64 // number of blocks for which there was no lane
}

type gpuLane struct {
	track
	until analyze.Nanos
}

// mostBeside is the maximum number of lanes of one channel. Further work that ran at the same time is only counted.
const mostBeside = 8

// device has the quantities over time of one GPU: how busy it is, and how many command buffers are in flight.
type device struct {
	busy, flight steps
	until        analyze.Nanos // the end of the work seen so far
}

// A queueName identifies a command queue in all slices (parts) of a run, which are loaded one after another.
type queueName struct {
	process *analyze.Process
	id      uint32
	label   string
}

// title returns the queue's name for display.
func (q *queueName) title() string { return cmp.Or(q.label, fmt.Sprintf("queue %d", q.id)) }

// Kinds of blocks in lanes of a GPU. A kind below `colors` is the colour of the thread that committed the work.
const (
	colors      = 12
	kindUnknown = 14
	kindFailed  = 15
)

// colorOf returns the colour for the GPU work that a thread committed; kindUnknown if the thread is not known.
func colorOf(t *thread) uint8 {
	if t == nil {
		return kindUnknown
	}
	return t.color
}

func (b *Builder) device(of *analyze.Device) (*device, analyze.Device) {
	key := analyze.Device{}
	if of != nil {
		key = *of
	}
	d := b.devices[key]
	if d == nil {
		d = &device{}
		b.devices[key], b.deviceOrder = d, append(b.deviceOrder, key)
	}
	return d, key
}

// buffers adds the GPU work, durations and failures of the command buffers that ended in the slice (part) of the run.
func (b *Builder) buffers(s *analyze.Slice) {
	list := slices.Clone(s.Buffers)
	slices.SortStableFunc(list, func(x, y *analyze.CommandBuffer) int { return cmp.Compare(x.GPU.Begin, y.GPU.Begin) })
	for _, x := range list {
		d, key := b.device(x.Device())
		var by *thread
		if x.Committed.Thread != nil {
			by = b.thread(x.Committed.Thread)
			by.works = true
		}
		if x.Failed() {
			b.marks.fail(by, max(x.GPU.End, x.Completed.Begin, x.Committed.End), fmt.Sprintf("%s failed, code %d: %s",
				timeline.BufferName(x), x.ErrorCode, x.Error))
		}
		b.levels(d, x)
		if !x.GPU.Known() {
			continue
		}
		if latency, known := x.StartLatency(s.Trace.TimeRange); known {
			b.start.add(latency)
		}
		b.gpu.add(x.Took(s.Trace.TimeRange))
		f := b.flows.commit(x, by)
		for w := range x.GPUWork() {
			d.run(w.Interval)
			lane := b.run(key, x, w, by, f)
			f.ran(lane, w.Interval)
		}
	}
}

// levels counts a command buffer as in flight, on its device and in its queue, from its commit to its completion.
func (b *Builder) levels(d *device, x *analyze.CommandBuffer) {
	flight := analyze.Interval{Begin: x.Committed.Begin, End: max(x.GPU.End, x.Completed.Begin)}
	if !x.Committed.Known() || flight.Length() == 0 {
		return
	}
	d.flight.between(flight)
	if x.Queue == nil {
		return
	}
	name := queueName{x.Queue.Process, x.Queue.ID, x.Queue.Label}
	q := b.queues[name]
	if q == nil {
		q = &steps{}
		b.queues[name], b.queueOrder = q, append(b.queueOrder, name)
	}
	q.between(flight)
}

// run adds a time in which the device worked to its busy time. Work must arrive in order of begin; overlapping work
// counts once.
func (d *device) run(i analyze.Interval) {
	i.Begin = max(i.Begin, d.until)
	d.busy.between(i)
	d.until = max(d.until, i.End)
}

// run adds a row of GPU work to the first lane of its channel that is free at that time, and returns the lane. If
// none is free and there are mostBeside lanes, the work is only counted and the result is nil.
func (b *Builder) run(on analyze.Device, x *analyze.CommandBuffer, w analyze.GPUWork, by *thread,
	f *flow) *gpuLane {
	name := gpuName{on, w.Channel}
	g := b.gpus[name]
	if g == nil {
		g = &gpu{gpuName: name}
		b.gpus[name], b.gpuOrder = g, append(b.gpuOrder, g)
	}
	i := slices.IndexFunc(g.lanes, func(l *gpuLane) bool { return l.until <= w.Begin })
	if i < 0 {
		if len(g.lanes) == mostBeside {
			g.hidden++
			return nil
		}
		i = len(g.lanes)
		g.lanes = append(g.lanes, &gpuLane{})
		b.lanes++
	}
	l, kind := g.lanes[i], colorOf(by)
	if x.Failed() {
		kind = kindFailed
	}
	number := 0
	if by != nil {
		number = by.number
	}
	l.add(block{w.Interval, kind, cmp.Or(w.Label, timeline.BufferName(x)), number,
		b.stacks.number(x.Committed.Stack), f}, b.room())
	l.until = w.End
	return l
}
