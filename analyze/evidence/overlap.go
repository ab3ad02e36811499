package evidence

import (
	"maps"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A QueueOverlap is how many command buffers of one queue a GPU runs at the same time, as far as the trace shows it.
type QueueOverlap struct {
	// at the same time, leaving out what there was for less than 1% of the queue's busy time
	Most     int
	Limited  bool                      // it runs no more: others of the queue were ready and waited, with room on the GPU
	Busy     *Busy                     // when it ran something
	byThread map[*analyze.Thread]*Busy // the same, by who committed
	full     *Busy                     // when it ran as many as that
}

// Overlaps finds that for each queue. Whether it runs no more is seen where work was ready, by more than the usual
// latency, while as much as ever ran of its queue, and the GPU had room: hardly any began beside that much, and most of
// what began late did so when there was less.
func Overlaps(work *GPUWork, releases *Releases, gpu *GPU, latency analyze.Nanos) map[*analyze.Queue]QueueOverlap {
	found := map[*analyze.Queue]QueueOverlap{}
	for _, d := range work.Devices {
		full, by := fullDevice(d, gpu), map[*analyze.Queue][]running{}
		for _, r := range d.running {
			by[r.buffer.Queue] = append(by[r.buffer.Queue], r)
		}
		for q, list := range by {
			var o QueueOverlap
			o.Busy, o.byThread = unite(list)
			run := counterOf(intervals(list))
			o.Most = max(1, run.times(&counter{}).capacity(o.Busy.Total()))
			o.full = run.when(o.Most)
			var did [startings]int
			before := analyze.Nanos(-1 << 62) // when the one before began: what was late before that was late for another reason
			for _, r := range list {
				if run.at(r.Begin) >= o.Most {
					did[beganBeside]++
				} else {
					did[starting(releases, r, before, latency, o.full, full)]++
				}
				before = r.Begin
			}
			waited := did[waitedBehind]
			o.Limited = waited >= policy.Pattern.Count() && policy.NearlyAll(waited, waited+did[beganBeside]) &&
				policy.AtLeast(policy.Most, waited, waited+did[beganLate])
			found[q] = o
		}
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
func starting(releases *Releases, r running, before, latency analyze.Nanos, atFull, device *Busy) int {
	x := releases.Of(r.buffer.Index)
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

// fullDevice is when a device ran as many command buffers as it was seen to run at the same time, or more.
func fullDevice(d *Device, gpu *GPU) *Busy {
	return counterOf(intervals(d.running)).when(max(1, gpu.Use(d).Capacity))
}

// WaitsForRoom says whether it was for want of room on the device that its work began later than usual, and how much
// work that was.
func WaitsForRoom(releases *Releases, gpu *GPU, d *Device, latency analyze.Nanos) (buffers int, waits bool) {
	full := fullDevice(d, gpu)
	var late, room analyze.Nanos
	for _, r := range d.running {
		x := releases.Of(r.buffer.Index)
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

// Lines are the queues that held up work that was ready to run: they run only so many command buffers at the same time
// though the GPU had room for more, so that a long one at the head holds up short ones of other threads behind it.
type Lines struct {
	ByQueue  map[*analyze.Queue]QueueOverlap
	work     *GPUWork
	releases *Releases
}

// FindLines finds these queues.
func FindLines(work *GPUWork, releases *Releases, gpu *GPU) *Lines {
	l := &Lines{Overlaps(work, releases, gpu, UsualLatency(work, releases)), work, releases}
	maps.DeleteFunc(l.ByQueue, func(q *analyze.Queue, o QueueOverlap) bool {
		// without a queue, or with all that the device can run, nothing shows that the GPU had room
		return q == nil || !o.Limited || o.Most >= gpu.Use(work.byModel[q.Device]).Capacity
	})
	return l
}

// InLine is the part of a wait for a thread's own command buffer in which that was ready, and stood behind others' in
// its queue though the GPU had room.
func (l *Lines) InLine(w *analyze.Wait) analyze.Nanos {
	b, x := l.work.trace.WaitsFor(w), l.releases.Of(w.Buffer)
	if b == nil || x == nil || Awaited(l.work.trace, w) != w.Thread || b.Empty() && l.work.trace.Encoded() {
		// an empty one is there to wait for the others
		return 0
	}
	line, limited := l.ByQueue[b.Queue]
	if !limited {
		return 0
	}
	queued := l.work.queued(w)
	queued.Begin = max(queued.Begin, x.At)
	own := line.byThread[w.Thread].Within(queued)
	if line.Busy.Within(queued) <= own {
		return 0
	}
	return max(0, queued.Length()-own) // what was in line stayed there until it began
}

// TurnaroundsBehind are the times from the end of what work that had long been ready had to wait for, the work before
// it in its queue or a full device, to its beginning; what took far longer than usual had another reason, and counts as
// that. There are none when there is too little of that.
func TurnaroundsBehind(work *GPUWork, releases *Releases, gpu *GPU, latency analyze.Nanos) (all []analyze.Nanos) {
	buffers := 0
	for _, d := range work.Devices {
		full := fullDevice(d, gpu).Spans()
		ends := map[*analyze.Queue]analyze.Nanos{}
		for _, r := range d.running {
			buffers++
			q := r.buffer.Queue
			from := ends[q]
			if i := sort.Search(len(full), func(i int) bool { return full[i].End > r.Begin }); i > 0 {
				from = max(from, full[i-1].End)
			}
			if x := releases.Of(r.buffer.Index); x != nil && x.At+latency < from && from <= r.Begin {
				all = append(all, r.Begin-from)
			}
			ends[q] = max(ends[q], r.End)
		}
	}
	if len(all) < policy.Pattern.Count() || !policy.AtLeast(policy.Negligible, len(all), buffers) {
		return nil
	}
	most := Scaled(Median(all), 2*policy.Outlier.Value)
	for i, n := range all {
		all[i] = min(n, most)
	}
	return all
}
