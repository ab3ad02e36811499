package extract

import (
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// withPolling inserts waits for command buffers into the calls of a thread that waits without a recorded call: it
// polls, or sleeps on a semaphore that a completion handler posts. The thread is assumed to wait for its nth last
// command buffer before it creates another, if three conditions nearly always hold: that command buffer has
// completed, a later one has not, and the thread continues soon after the completion. It reports whether waits were
// inserted.
func withPolling(
	ev *evidence.Evidence, buffers []*analyze.CommandBuffer, t *analyze.Thread, list []call,
) ([]call, bool) {
	var own []turn
	var commits, waits int
	var last analyze.Nanos
	for i, c := range list {
		switch c.Kind {
		case program.Acquire:
			buffer := buffers[c.Job]
			own = append(own, turn{c.Job, i, last, c.Begin, buffer, buffer.GPU.End, ev.Completions.At(buffer)})
		case program.Commit:
			commits++
		case program.Wait, program.WaitOther:
			waits++
		}
		last = c.End
	}
	if policy.AtLeast(policy.Majority, waits, commits) || len(own) < policy.FewestSamples.Count() {
		return list, false
	}
	// A thread that itself runs the completion handlers may wait for Metal's thread between two handlers. Such a wait
	// must not be treated as a wait for a handler.
	if promised := waitsForHandlers(ev, buffers, t, own); !inHandlers(own[1:]) && policy.AtLeast(policy.Majority,
		len(promised), len(own)) {
		return withLinks(list, promised), true
	}
	if watched := waitsForWatchers(ev, t, own); policy.AtLeast(policy.Majority, len(watched), len(own)) {
		return withLinks(list, watched), true
	}
	for n := 1; n <= policy.MostInFlight; n++ {
		if follows(own, n) {
			return withWaits(list, own, n, asleep(ev, t)), true
		}
	}
	return list, false
}

// waitsForHandlers returns the thread's waits for a signal from the completion handler of its last command buffer.
// They are in effect waits for that command buffer.
func waitsForHandlers(ev *evidence.Evidence, buffers []*analyze.CommandBuffer, t *analyze.Thread, own []turn) (
	list []call,
) {
	signalled := evidence.FindSignalledInHandlers(ev.Trace)
	for w := range analyze.Each(ev.ThreadWaits.Merged) {
		if w.Thread != t {
			continue
		}
		if b, last := signalled.Of(w), lastBefore(own, w.Begin); b != nil && last != nil && last.buffer == b {
			s, d := waitFor(w.Interval, b, last.job)
			list = append(list, call{Interval: w.Interval, Step: s, detail: d})
		}
	}
	return list
}

// waitsForWatchers returns the thread's waits for a signal from a thread that polls for its last command buffer. They
// are in effect waits for that command buffer that end by polling.
func waitsForWatchers(ev *evidence.Evidence, t *analyze.Thread, own []turn) (list []call) {
	if len(ev.Polling.Watcher) == 0 {
		return nil
	}
	for w := range analyze.Each(ev.ThreadWaits.Signals) {
		if w.Thread != t || w.Signaller == nil {
			continue
		}
		if last := lastBefore(own, w.Begin); last != nil && last.buffer != nil &&
			ev.Polling.Watcher[last.buffer.Index] == w.Signaller {
			s, d := waitFor(w.Interval, last.buffer, last.job)
			d.Polls = true
			list = append(list, call{Interval: w.Interval, Step: s, detail: d})
		}
	}
	return list
}

// lastBefore returns the thread's last creation of a command buffer that began before the time `at`; nil if none did.
func lastBefore(own []turn, at analyze.Nanos) *turn {
	if i := sort.Search(len(own), func(i int) bool { return own[i].begin > at }) - 1; i >= 0 {
		return &own[i]
	}
	return nil
}

// A turn is one creation of a command buffer by a thread.
type turn struct {
	job         int32
	call        int           // index of the creation among the thread's calls
	from, begin analyze.Nanos // end of the thread's previous call, and begin of the creation
	buffer      *analyze.CommandBuffer
	gpu         analyze.Nanos // when the command buffer ended on the GPU
	completed   analyze.Nanos // when the program could see its completion
}

// ended returns when the command buffer had completed, as a thread that continued at time `at` could see it. Usually
// that is when the tracer's completion handler ran. If that was after `at`, it is the end of the GPU work, because a
// thread can see the completion in the command buffer's status before handlers run.
func (t *turn) ended(at analyze.Nanos) analyze.Nanos {
	if t.completed > at && t.gpu <= at {
		return t.gpu
	}
	return t.completed
}

// follows reports whether the thread seems to wait for its nth last command buffer before each creation of another
// one.
func follows(own []turn, n int) bool {
	own = own[1:] // the first creation may follow a long start-up
	if n == 1 && inHandlers(own) {
		return true
	}
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
	if policy.MoreThan(policy.NegligibleShare, early, all) || n > 1 && !policy.AtLeast(policy.Majority, used, all) ||
		!policy.AtLeast(policy.Majority, soon, all) {
		return false
	}
	return !policy.MoreThan(policy.LargeShare, evidence.Median(lags), evidence.Median(gaps)) ||
		!policy.MoreThan(policy.Majority, evidence.SpreadOf(lags), evidence.SpreadOf(gaps))
}

// inHandlers reports whether the thread creates nearly all command buffers in the completion handler of the previous
// one. Then the handler's work delays the next command buffer.
func inHandlers(own []turn) bool {
	n := 0
	for i := 1; i < len(own); i++ {
		if own[i-1].handles(own[i].begin) {
			n++
		}
	}
	return len(own) > 1 && policy.NearlyAll(n, len(own)-1)
}

// handles reports whether the program's completion handlers of the command buffer may run at time `at`.
func (t *turn) handles(at analyze.Nanos) bool {
	return t.buffer != nil && t.buffer.Handlers > 0 && t.gpu <= at && at <= t.completed
}

// asleep returns the times in which the thread waited for signals.
func asleep(ev *evidence.Evidence, t *analyze.Thread) (list []analyze.Interval) {
	for w := range analyze.Each(ev.ThreadWaits.Signals) {
		if w.Thread == t {
			list = append(list, w.Interval)
		}
	}
	return list
}

// withWaits inserts a wait for the nth last command buffer before each creation of a command buffer. If the thread
// slept in a recorded wait for a signal at that time, the inserted wait covers that sleep.
func withWaits(list []call, own []turn, n int, asleep []analyze.Interval) []call {
	var all []call
	next := 0
	for i, t := range own {
		all = append(all, list[next:t.call]...)
		next = t.call
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
		if n == 1 && own[i-1].handles(t.begin) {
			list[t.call].detail.InHandler = true
		}
		s, d := waitFor(w, own[i-n].buffer, own[i-n].job)
		all = append(all, call{Interval: w, Step: s, detail: d})
	}
	return append(all, list[next:]...)
}
