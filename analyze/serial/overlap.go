package serial

import (
	"slices"

	"mtrace/analyze"
)

// queueOverlap is how many command buffers of one queue a GPU runs at the same time, as far as the trace shows it.
type queueOverlap struct {
	most    int  // at the same time, leaving out what there was for less than 1 % of the queue's busy time
	limited bool // it runs no more: others of the queue were ready and waited, with room on the GPU
}

// overlaps finds that for each queue. Work that begins within a few usual latencies has not waited.
func (a *Analysis) overlaps(latency analyze.Nanos) map[*analyze.Queue]queueOverlap {
	const jitter = 3
	type use struct {
		run, pending counter
		intervals    []analyze.Interval
	}
	by := map[*analyze.Queue]*use{}
	for _, d := range a.deviceOrder {
		full := a.fullDevice(d)
		for _, r := range d.running {
			q := r.buffer.Queue
			if by[q] == nil {
				by[q] = &use{}
			}
			u := by[q]
			u.run.add(r.Interval)
			u.intervals = append(u.intervals, r.Interval)
			if x := a.released[r.buffer]; x != nil {
				if ready := x.at + jitter*latency; ready < r.Begin && full.Within(analyze.Interval{Begin: ready, End: r.Begin})*2 < r.Begin-ready {
					u.pending.add(analyze.Interval{Begin: ready, End: r.Begin})
				}
			}
		}
	}
	found := map[*analyze.Queue]queueOverlap{}
	for q, u := range by {
		u.run.sort()
		u.pending.sort()
		l := u.run.times(&u.pending)
		busy, total := NewBusy(u.intervals).Total(), analyze.Nanos(0)
		o := queueOverlap{most: 1, limited: share(l.backlog, busy) >= 0.05}
		for k := len(l.running) - 1; k >= 1; k-- {
			if total += l.running[k]; total*100 >= busy && total > 0 {
				o.most = k
				break
			}
		}
		found[q] = o
	}
	return found
}

// fullDevice is when a device ran as many command buffers as it was seen to run at the same time, or more.
func (a *Analysis) fullDevice(d *device) *Busy {
	most := 1 << 30
	for _, u := range a.GPU.Devices {
		if u.Device == d.model {
			most = max(1, u.Capacity)
		}
	}
	var begins, ends []analyze.Nanos
	for _, r := range d.running {
		begins, ends = append(begins, r.Begin), append(ends, r.End)
	}
	slices.Sort(ends)
	var full []analyze.Interval
	open, e := 0, 0
	for _, b := range begins {
		for ; e < len(ends) && ends[e] <= b; e++ {
			open--
		}
		if open++; open >= most {
			full = append(full, analyze.Interval{Begin: b, End: ends[e]})
		}
	}
	return NewBusy(full)
}
