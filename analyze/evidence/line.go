package evidence

import "mtrace/analyze"

// A line is a queue that held up what was ready to run: it runs only so many command buffers at the same time, and the GPU had room
// for more. A long one at its head then holds up the short ones of other threads behind it.
type line struct {
	queueOverlap
	byThread map[*analyze.Thread]*Busy
}

// findLines finds the queues that are known to hold up work: see Overlaps.
func (ev *Evidence) findLines() {
	ev.Lines = map[*analyze.Queue]*line{}
	for q, o := range ev.Overlaps(ev.UsualLatency()) {
		if q != nil && o.Limited && o.Most < ev.UseOf(ev.devices[q.Device]).Capacity { // or nothing shows that the GPU had room
			ev.Lines[q] = &line{queueOverlap: o}
		}
	}
	byThread := map[*line]map[*analyze.Thread][]analyze.Interval{}
	for _, d := range ev.deviceOrder {
		for _, r := range d.running {
			l := ev.Lines[r.buffer.Queue]
			if l == nil {
				continue
			}
			if byThread[l] == nil {
				byThread[l] = map[*analyze.Thread][]analyze.Interval{}
			}
			byThread[l][r.buffer.Committed.Thread] = append(byThread[l][r.buffer.Committed.Thread], r.Interval)
		}
	}
	for l, lists := range byThread {
		l.byThread = unions(lists)
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
	if l.Busy.Within(queued) <= own {
		return 0
	}
	return max(0, queued.Length()-own) // what was in line stayed there until it began
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
