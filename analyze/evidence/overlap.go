package evidence

import (
	"maps"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A QueueOverlap tells how many command buffers of one queue a GPU runs at the same time.
type QueueOverlap struct {
	// largest number at the same time, ignoring numbers reached for less than 1% of the queue's busy time
	Most int
	// the queue, not the GPU, limits the number to Most: ready command buffers waited although the GPU had spare
	// capacity
	Limited  bool
	Busy     *Busy                     // when at least one command buffer of the queue ran
	byThread map[*analyze.Thread]*Busy // when command buffers ran that the thread committed to the queue
	full     *Busy                     // when Most command buffers of the queue ran at the same time
}

// Overlaps determines for each queue how many of its command buffers run at once, and whether the queue limits that
// number. A queue is Limited if ready command buffers nearly always waited while it ran Most of them and the GPU had
// spare capacity. `latency` is the usual time to begin ready work.
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
			// the begin of the queue's previous command buffer: a delay before that time is counted for that command
			// buffer
			before := analyze.Nanos(-1 << 62)
			for _, r := range list {
				if run.at(r.Begin) >= o.Most {
					did[beganBeside]++
				} else {
					did[starting(releases, r, before, latency, o.full, full)]++
				}
				before = r.Begin
			}
			waited := did[waitedBehind]
			o.Limited = waited >= policy.FewestOccurrences.Count() && policy.NearlyAll(waited, waited+did[beganBeside]) &&
				policy.AtLeast(policy.Majority, waited, waited+did[beganLate])
			found[q] = o
		}
	}
	return found
}

// Results of the function starting: what a ready command buffer did while its queue ran as many command buffers as it
// ever runs (Most), although the GPU could have run more.
const (
	noMatter     = iota // the situation did not occur
	beganBeside         // the command buffer began although the queue ran Most others
	waitedBehind        // the command buffer began when one of the others ended: the queue limits their number
	beganLate           // the command buffer did not begin even after one of the others ended: another reason
	startings
)

// starting classifies how the command buffer r began. `before` is the begin of the queue's previous command buffer.
// `atFull` has the times in which the queue ran Most, and device the times in which the GPU was full.
func starting(releases *Releases, r running, before, latency analyze.Nanos, atFull, device *Busy) int {
	x := releases.ReleaseOf(r.buffer.Index)
	if x == nil {
		return noMatter
	}
	wait := analyze.Interval{Begin: max(x.At+latency, before), End: r.Begin}
	due := analyze.Interval{Begin: wait.Begin, End: wait.Begin + policy.LatencyMargin.Nanos()}
	switch {
	case wait.Length()-device.LengthWithin(wait) < policy.LatencyMargin.Nanos() ||
		atFull.LengthWithin(due) < policy.LatencyMargin.Nanos()/2:
		return noMatter
	case policy.AtLeast(policy.Majority, atFull.LengthWithin(wait), wait.Length()):
		return waitedBehind
	}
	return beganLate
}

// fullDevice returns the times in which a device ran as many command buffers as its capacity, or more.
func fullDevice(d *Device, gpu *GPU) *Busy {
	return counterOf(intervals(d.running)).when(max(1, gpu.Use(d).Capacity))
}

// WaitsForRoom returns how many command buffers began later than usual because the device was full. `waits` reports
// whether a full device explains most of the delay of all command buffers together.
func WaitsForRoom(releases *Releases, gpu *GPU, d *Device, latency analyze.Nanos) (buffers int, waits bool) {
	full := fullDevice(d, gpu)
	var late, room analyze.Nanos
	for _, r := range d.running {
		x := releases.ReleaseOf(r.buffer.Index)
		if x == nil || r.Begin <= x.At+latency {
			continue
		}
		behind := analyze.Interval{Begin: x.At + latency, End: r.Begin}
		within := full.LengthWithin(behind)
		late, room = late+behind.Length(), room+within
		if behind.Length() >= policy.LatencyMargin.Nanos() && policy.NearlyAll(within, behind.Length()) {
			buffers++
		}
	}
	return buffers, policy.MoreThan(policy.Majority, room, late)
}

// Lines are the queues that delayed ready work: each runs only a limited number of command buffers at once although
// the GPU could run more. In such a queue, a long command buffer at the head delays short ones of other threads
// behind it.
type Lines struct {
	ByQueue  map[*analyze.Queue]QueueOverlap
	work     *GPUWork
	releases *Releases
}

// FindLines finds the queues that delayed ready work although the GPU had spare capacity.
func FindLines(work *GPUWork, releases *Releases, gpu *GPU) *Lines {
	l := &Lines{Overlaps(work, releases, gpu, UsualLatency(work, releases)), work, releases}
	maps.DeleteFunc(l.ByQueue, func(q *analyze.Queue, o QueueOverlap) bool {
		// if the queue uses the device's full capacity, nothing shows that the GPU had spare capacity
		return q == nil || !o.Limited || o.Most >= gpu.Use(work.byModel[q.Device]).Capacity
	})
	return l
}

// InLine returns how long a thread's own command buffer was delayed by its queue during the wait w: it was ready but
// queued behind other threads' command buffers, although the GPU had spare capacity.
func (l *Lines) InLine(w *analyze.Wait) analyze.Nanos {
	b, x := l.work.trace.WaitsFor(w), l.releases.ReleaseOf(w.Buffer)
	if b == nil || x == nil || Awaited(l.work.trace, w) != w.Thread || b.Empty() && l.work.trace.Encoded() {
		// an empty command buffer does nothing itself; it exists only to be waited for
		return 0
	}
	line, limited := l.ByQueue[b.Queue]
	if !limited {
		return 0
	}
	queued := l.work.queued(w)
	queued.Begin = max(queued.Begin, x.At)
	own := line.byThread[w.Thread].LengthWithin(queued)
	if line.Busy.LengthWithin(queued) <= own {
		return 0
	}
	return max(0, queued.Length()-own) // a command buffer that was queued remains so until it begins
}

// TurnaroundsBehind returns how long work took to begin after its obstacle ended. The obstacle is the previous work
// in its queue, or a full device. Only work that was ready before the obstacle ended counts. Times much longer than
// usual have another reason, so they are cut to a few times the median. It returns nil if there are too few times.
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
			if x := releases.ReleaseOf(r.buffer.Index); x != nil && x.At+latency < from && from <= r.Begin {
				all = append(all, r.Begin-from)
			}
			ends[q] = max(ends[q], r.End)
		}
	}
	if len(all) < policy.FewestOccurrences.Count() || !policy.AtLeast(policy.NegligibleShare, len(all), buffers) {
		return nil
	}
	most := Scaled(Median(all), 2*policy.OutlierRatio.Value)
	for i, n := range all {
		all[i] = min(n, most)
	}
	return all
}
