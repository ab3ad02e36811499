package evidence

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// queueOverlap is how many command buffers of one queue a GPU runs at the same time, as far as the trace shows it.
type queueOverlap struct {
	Most    int   // at the same time, leaving out what there was for less than 1 % of the queue's busy time
	Limited bool  // it runs no more: others of the queue were ready and waited, with room on the GPU
	Busy    *Busy // when it ran something
	full    *Busy // when it ran as many as that
}

// Overlaps finds that for each queue. Whether it runs no more is seen where work was ready, by more than the usual latency, while
// as much as ever ran of its queue, and the GPU had room: hardly any began beside that much, and most of what began late did so when there was less.
func (ev *Evidence) Overlaps(latency analyze.Nanos) map[*analyze.Queue]queueOverlap {
	by := map[*analyze.Queue][]running{}
	full := map[*analyze.Queue]*Busy{}
	for _, d := range ev.deviceOrder {
		f := ev.fullDevice(d)
		for _, r := range d.running {
			q := r.buffer.Queue
			by[q], full[q] = append(by[q], r), f
		}
	}
	found := map[*analyze.Queue]queueOverlap{}
	for q, list := range by {
		var run, none counter
		var intervals []analyze.Interval
		for _, r := range list {
			run.add(r.Interval)
			intervals = append(intervals, r.Interval)
		}
		run.sort()
		o, l := queueOverlap{Busy: NewBusy(intervals)}, run.times(&none)
		o.Most = max(1, l.capacity(o.Busy.Total()))
		o.full = NewBusy(atMost(intervals, o.Most))
		var did [startings]int
		before := analyze.Nanos(-1 << 62) // when the one before began: what was late before that was late for another reason
		for _, r := range list {
			if run.at(r.Begin) >= o.Most {
				did[beganBeside]++
			} else {
				did[ev.starting(r, before, latency, o.full, full[q])]++
			}
			before = r.Begin
		}
		waited := did[waitedBehind]
		o.Limited = waited >= policy.Pattern.Count() && policy.NearlyAll(waited, waited+did[beganBeside]) && policy.AtLeast(policy.Most, waited, waited+did[beganLate])
		found[q] = o
	}
	return found
}

// What work did that was ready while as much as ever ran of its queue, and the GPU had room.
const (
	noMatter     = iota // there was no such time
	beganBeside         // it began
	waitedBehind        // it did not
	beganLate           // it did not, nor when there was less
	startings
)

// starting says which of these a command buffer did that did not begin beside as much as ever ran.
func (ev *Evidence) starting(r running, before, latency analyze.Nanos, atFull, device *Busy) int {
	x := ev.ReleaseOf(r.buffer.Index)
	if x == nil {
		return noMatter
	}
	wait := analyze.Interval{Begin: max(x.At+latency, before), End: r.Begin}
	due := analyze.Interval{Begin: wait.Begin, End: wait.Begin + policy.Margin.Nanos()}
	switch {
	case wait.Length()-device.Within(wait) < policy.Margin.Nanos() || atFull.Within(due) < policy.Margin.Nanos()/2:
		return noMatter
	case policy.AtLeast(policy.Most, atFull.Within(wait), wait.Length()):
		return waitedBehind
	}
	return beganLate
}

// atMost is when at least so many of the intervals were open. They are sorted by begin.
func atMost(list []analyze.Interval, n int) (full []analyze.Interval) {
	ends := make([]analyze.Nanos, len(list))
	for i := range list {
		ends[i] = list[i].End
	}
	slices.Sort(ends)
	open, e := 0, 0
	for _, i := range list {
		for ; e < len(ends) && ends[e] <= i.Begin; e++ {
			open--
		}
		if open++; open >= n {
			full = append(full, analyze.Interval{Begin: i.Begin, End: ends[e]})
		}
	}
	return full
}

// fullDevice is when a device ran as many command buffers as it was seen to run at the same time, or more.
func (ev *Evidence) fullDevice(d *Device) *Busy {
	var list []analyze.Interval
	for _, r := range d.running {
		list = append(list, r.Interval)
	}
	return NewBusy(atMost(list, max(1, ev.UseOf(d).Capacity)))
}

// WaitsForRoom says whether it was for want of room on the device that its work began later than usual, and how much work that was.
func (ev *Evidence) WaitsForRoom(d *Device, latency analyze.Nanos) (buffers int, waits bool) {
	full := ev.fullDevice(d)
	var late, room analyze.Nanos
	for _, r := range d.running {
		x := ev.ReleaseOf(r.buffer.Index)
		if x == nil || r.Begin <= x.At+latency {
			continue
		}
		behind := analyze.Interval{Begin: x.At + latency, End: r.Begin}
		within := full.Within(behind)
		late, room = late+behind.Length(), room+within
		if behind.Length() >= policy.Margin.Nanos() && policy.NearlyAll(within, behind.Length()) {
			buffers++
		}
	}
	return buffers, policy.MoreThan(policy.Most, room, late)
}

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
