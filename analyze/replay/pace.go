package replay

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// paced puts waits into a thread's calls that it makes and no call shows: a thread that polls for the end of its work, or sleeps on a
// semaphore that a completion handler posts, begins each command buffer when one of those before has completed, and not earlier. It is
// taken to wait for the command buffer so many before its next if that has nearly always completed then, a later one has not, and the
// thread goes on soon after. It says whether the thread does.
func (ev *builder) paced(t *analyze.Thread, list []step, buffers []*analyze.CommandBuffer) ([]step, bool) {
	var own []turn
	var commits, waits int
	var last analyze.Nanos
	for i, s := range list {
		switch s.kind {
		case opAcquire:
			own = append(own, turn{s.job, i, last, s.Begin, buffers[s.job], buffers[s.job].GPU.End, ev.Completion(buffers[s.job])})
		case opCommit:
			commits++
		case opWait, opForeign:
			waits++
		}
		last = s.End
	}
	if policy.AtLeast(policy.Most, waits, commits) || len(own) < policy.Sample.Count() {
		return list, false
	}
	for n := 1; n <= policy.MostInFlight; n++ {
		if follows(own, n) {
			return withWaits(list, own, n, ev.asleep(t)), true
		}
	}
	return list, false
}

// A turn is a thread's making of a command buffer.
type turn struct {
	job         int32
	step        int
	from, begin analyze.Nanos // from the end of its call before
	buffer      *analyze.CommandBuffer
	gpu         analyze.Nanos // its end there
	completed   analyze.Nanos
}

// ended is when the command buffer had completed, as a thread knew that went on at an instant: its status may say so before the tracer's handler is called,
// though not before the GPU's end.
func (t *turn) ended(at analyze.Nanos) analyze.Nanos {
	if t.completed > at && t.gpu <= at {
		return t.gpu
	}
	return t.completed
}

// follows says whether the thread waits, before it makes a command buffer, for the completion of the one n before it.
func follows(own []turn, n int) bool {
	own = own[1:] // the first may have come after a long start
	var early, used, soon int
	var lags, gaps []analyze.Nanos
	for i := n; i < len(own); i++ {
		t := own[i]
		completed := own[i-n].ended(t.begin)
		lag := t.begin - completed
		if lag < 0 {
			early++
		}
		if n > 1 && own[i-n+1].completed > t.begin {
			used++
		}
		if completed > t.from {
			soon++
			lags, gaps = append(lags, lag), append(gaps, t.begin-t.from)
		}
	}
	all := len(own) - n
	if policy.MoreThan(policy.Negligible, early, all) || n > 1 && !policy.AtLeast(policy.Most, used, all) || !policy.AtLeast(policy.Most, soon, all) {
		return false
	}
	return !policy.MoreThan(policy.Much, evidence.Median(lags), evidence.Median(gaps)) || !policy.MoreThan(policy.Most, evidence.SpreadOf(lags), evidence.SpreadOf(gaps))
}

// asleep is when the thread waited for signals.
func (ev *builder) asleep(t *analyze.Thread) (list []analyze.Interval) {
	for w := range analyze.Each(ev.SignalWaits) {
		if w.Thread == t {
			list = append(list, w.Interval)
		}
	}
	return list
}

// withWaits is the thread's calls with those waits. Where the thread was seen to sleep, it waited there.
func withWaits(list []step, own []turn, n int, asleep []analyze.Interval) []step {
	var all []step
	next := 0
	for i, t := range own {
		all = append(all, list[next:t.step]...)
		next = t.step
		if i < n {
			continue
		}
		completed := own[i-n].ended(t.begin)
		if completed > t.begin {
			continue
		}
		w := analyze.Interval{Begin: t.from, End: max(t.from, completed)}
		for len(asleep) > 0 && asleep[0].End <= t.from {
			asleep = asleep[1:]
		}
		if len(asleep) > 0 && asleep[0].Begin >= t.from && asleep[0].End <= t.begin && asleep[0].End >= completed {
			w = asleep[0]
		}
		all = append(all, step{w, waitFor(w, own[i-n].buffer, own[i-n].job)})
	}
	return append(all, list[next:]...)
}
