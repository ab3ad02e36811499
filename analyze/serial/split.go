package serial

import "mtrace/analyze"

// A device is what the analysis knows of the work of one GPU.
type device struct {
	model    *analyze.Device // nil for command buffers whose device is not known
	all      *Busy
	any      *Busy                     // with what processes ran that are not in the trace
	byThread map[*analyze.Thread]*Busy // by who committed
	running  []running                 // by begin
	latest   []analyze.Nanos           // latest end of running[:i+1]
}

// running is the time of one command buffer on the GPU, in the window.
type running struct {
	analyze.Interval
	buffer *analyze.CommandBuffer
}

// A Piece is a part of a wait.
type Piece struct {
	Part analyze.Part
	analyze.Nanos
}

// Split divides a wait as CONTRACT.md defines it: a wait for another thread's work is foreign as a whole; a wait for the
// thread's own work is queued until the work began on the GPU (behind the thread's own work, behind that of others, or behind
// nothing, which is scheduling), then executing, then notify. Work that never began is queued to the end, and so is a wait of
// which it is not known what it waits for. The pieces add up to the wait.
func (a *Analysis) Split(w *analyze.Wait) []Piece {
	if from := Awaited(w); from != nil && from != w.Thread {
		return []Piece{{analyze.PartWaitForeign, w.Length()}}
	}
	queued := w.Interval
	pieces := make([]Piece, 0, 5)
	if b := w.Buffer; b != nil && b.GPU.Known() {
		start := min(max(b.GPU.Begin, w.Begin), w.End)
		end := min(max(b.GPU.End, start), w.End)
		queued.End = start
		pieces = append(pieces, Piece{analyze.PartWaitExecuting, end - start}, Piece{analyze.PartWaitNotify, w.End - end})
	}
	d := a.deviceOf(w.Buffer)
	own := d.byThread[w.Thread].Within(queued)
	busy := d.any.Within(queued)
	return append(pieces, Piece{analyze.PartWaitQueuedOwn, own}, Piece{analyze.PartWaitQueuedOther, busy - own},
		Piece{analyze.PartWaitScheduling, queued.Length() - busy})
}

// queuedPart is the part of a wait before the GPU began what is waited for.
func queuedPart(w *analyze.Wait) analyze.Interval {
	if b := w.Buffer; b != nil && b.GPU.Known() {
		return analyze.Interval{Begin: w.Begin, End: min(max(b.GPU.Begin, w.Begin), w.End)}
	}
	return w.Interval
}

// NewSplitter is an analysis that only splits waits.
func NewSplitter(t *analyze.Trace) *Analysis {
	a := &Analysis{Trace: t}
	a.findDevices()
	return a
}

// Awaited is the thread whose work a wait is for: who committed the command buffer or gave the event its value; nil when that is
// not known.
func Awaited(w *analyze.Wait) *analyze.Thread {
	if w.Buffer != nil {
		return w.Buffer.Committed.Thread
	}
	return w.Signaled
}

func (a *Analysis) deviceOf(b *analyze.CommandBuffer) *device {
	var model *analyze.Device
	if b != nil && b.Queue != nil {
		model = b.Queue.Device
	}
	if d := a.devices[model]; d != nil {
		return d
	}
	if len(a.deviceOrder) > 0 {
		return a.deviceOrder[0]
	}
	return &device{}
}

// findDevices sorts the command buffers' GPU times by device and by thread.
func (a *Analysis) findDevices() {
	a.devices = map[*analyze.Device]*device{}
	all := map[*device][]analyze.Interval{}
	byThread := map[*device]map[*analyze.Thread][]analyze.Interval{}
	for _, b := range a.Trace.CommandBuffers {
		if !b.GPU.Known() {
			continue
		}
		gpu := clip(b.GPU, a.Trace.Window)
		if gpu.End < gpu.Begin {
			continue
		}
		var model *analyze.Device
		if b.Queue != nil {
			model = b.Queue.Device
		}
		d := a.devices[model]
		if d == nil {
			d = &device{model: model, byThread: map[*analyze.Thread]*Busy{}}
			a.devices[model] = d
			a.deviceOrder = append(a.deviceOrder, d)
			byThread[d] = map[*analyze.Thread][]analyze.Interval{}
		}
		d.running = append(d.running, running{gpu, b})
		all[d] = append(all[d], gpu)
		byThread[d][b.Committed.Thread] = append(byThread[d][b.Committed.Thread], gpu)
	}
	elsewhere := map[*analyze.Device][]analyze.Interval{}
	for _, w := range a.Trace.Elsewhere {
		elsewhere[w.Device] = append(elsewhere[w.Device], clip(w.Interval, a.Trace.Window))
	}
	for _, d := range a.deviceOrder {
		d.all = NewBusy(all[d])
		d.any = d.all
		if others := elsewhere[d.model]; len(others) > 0 {
			d.any = NewBusy(append(others, d.all.Spans()...))
		}
		for t, intervals := range byThread[d] {
			d.byThread[t] = NewBusy(intervals)
		}
		sortByBegin(d.running)
		end := analyze.Nanos(0)
		for _, r := range d.running {
			end = max(end, r.End)
			d.latest = append(d.latest, end)
		}
	}
}
