package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A line is a queue that held up what was ready to run: it runs only so many command buffers at the same time, and the GPU had room
// for more. A long one at its head then holds up the short ones of other threads behind it.
type line struct {
	Most     int   // command buffers that it runs at the same time
	full     *Busy // when it ran as many and the GPU had room
	running  *Busy // when it ran any and the GPU had room
	byThread map[*analyze.Thread]*Busy
	refused  *Busy // when the GPU had no room; nil when it always had
}

// findLines finds the queues that are known to hold up work: see overlaps.
func (ev *Evidence) findLines() {
	ev.Lines = map[*analyze.Queue]*line{}
	byQueue := map[*analyze.Queue][]analyze.Interval{}
	latency := ev.UsualLatency()
	overlaps := ev.Overlaps(latency)
	for q, o := range overlaps {
		if q != nil && o.Limited && o.Most < ev.UseOf(ev.devices[q.Device]).Capacity { // or nothing shows that the GPU had room
			ev.Lines[q] = &line{Most: o.Most}
		}
	}
	if len(ev.Lines) == 0 {
		return
	}
	byThread := map[*analyze.Queue]map[*analyze.Thread][]analyze.Interval{}
	for _, d := range ev.deviceOrder {
		full := ev.fullDevice(d)
		if !ev.refuses(d, full, overlaps, latency) {
			full = nil
		}
		for _, r := range d.running {
			q := r.buffer.Queue
			if ev.Lines[q] == nil {
				continue
			}
			ev.Lines[q].refused = full
			if byThread[q] == nil {
				byThread[q] = map[*analyze.Thread][]analyze.Interval{}
			}
			for _, i := range full.Gaps(r.Interval) {
				byQueue[q] = append(byQueue[q], i)
				byThread[q][r.buffer.Committed.Thread] = append(byThread[q][r.buffer.Committed.Thread], i)
			}
		}
	}
	for q, l := range ev.Lines {
		l.running = NewBusy(byQueue[q]) // sorts them
		l.full = NewBusy(atMost(byQueue[q], l.Most))
		l.byThread = unions(byThread[q])
	}
}

// UseOf is what a device did.
func (ev *Evidence) UseOf(d *Device) (use DeviceUse) {
	for _, u := range ev.GPU.Devices {
		if d != nil && u.Device == d.Model {
			use = u
		}
	}
	return use
}

// refuses says whether a device that is full, as far as the trace shows it, lets work wait that has its place in its queue. If it
// never does, it could run more than it was seen to.
func (ev *Evidence) refuses(d *Device, full *Busy, overlaps map[*analyze.Queue]queueOverlap, latency analyze.Nanos) bool {
	var waited analyze.Nanos
	for _, r := range d.running {
		if x := ev.ReleaseOf(r.buffer.Index); x != nil {
			for _, i := range overlaps[r.buffer.Queue].Busy.Gaps(analyze.Interval{Begin: x.At + latency, End: r.Begin}) {
				waited += full.Within(i)
			}
		}
	}
	return policy.AtLeast(policy.Little, waited, full.Total())
}

// InLine is the part of a wait for a thread's own command buffer in which that was ready, and stood behind others' in its queue though
// the GPU had room.
func (ev *Evidence) InLine(w *analyze.Wait) analyze.Nanos {
	b, x := ev.Trace.WaitsFor(w), ev.ReleaseOf(w.Buffer)
	if b == nil || ev.Lines[b.Queue] == nil || x == nil || ev.Awaited(w) != w.Thread {
		return 0
	}
	if b.Empty() && ev.Trace.Encoded() { // it is there to wait for the others
		return 0
	}
	queued := ev.queuedPart(w)
	queued.Begin = max(queued.Begin, x.At)
	l := ev.Lines[b.Queue]
	own := l.byThread[w.Thread].Within(queued)
	if l.running.Within(queued) <= own {
		return 0
	}
	return max(0, queued.Length()-own-l.refused.Within(queued)) // what was in line stayed there until it began
}

// TimeInLine is inLine of all waits.
func (ev *Evidence) TimeInLine() (sum analyze.Nanos) {
	if len(ev.Lines) == 0 {
		return 0
	}
	for w := range analyze.Each(ev.Trace.Waits) {
		sum += ev.InLine(w)
	}
	return sum
}
