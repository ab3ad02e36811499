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
}

// Overlaps finds that for each queue. Whether it runs no more is seen where work was ready, by more than the usual latency, while
// as much as ever ran of its queue, and the GPU had room: either it began nevertheless, or nearly all such work waited.
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
		behind, waited := 0, 0
		atFull := NewBusy(atMost(intervals, o.Most))
		for _, r := range list {
			switch ev.behind(r, latency, atFull, full[q]) {
			case beganBeside:
				behind++
			case waitedBehind:
				behind, waited = behind+1, waited+1
			}
		}
		o.Limited = behind >= policy.Pattern.Count() && policy.NearlyAll(waited, behind)
		found[q] = o
	}
	return found
}

// What work did that was ready while as much as ever ran of its queue, and the GPU had room.
const (
	noMatter     = iota // there was no such time
	beganBeside         // it began
	waitedBehind        // it did not
)

// behind says which of these a command buffer did.
func (ev *Evidence) behind(r running, latency analyze.Nanos, atFull, device *Busy) int {
	x := ev.ReleaseOf(r.buffer.Index)
	if x == nil {
		return noMatter
	}
	due := analyze.Interval{Begin: x.At + latency, End: x.At + latency + policy.Margin.Nanos()}
	if r.Begin < due.End {
		if device.Within(due) > 0 || atFull.Within(due)-overlap(r.Interval, due) < policy.Margin.Nanos()/2 {
			return noMatter
		}
		return beganBeside
	}
	wait := analyze.Interval{Begin: due.Begin, End: r.Begin}
	switch own := atFull.Within(wait); {
	case atFull.Within(due) < policy.Margin.Nanos()/2 || wait.Length()-device.Within(wait) < policy.Margin.Nanos():
		return noMatter
	case !policy.AtLeast(policy.Most, own, wait.Length()):
		return beganBeside
	}
	return waitedBehind
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
