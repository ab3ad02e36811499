package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Watchers has the threads that wait for command buffers which another thread committed, and then signal that thread.
type Watchers map[watching]*Busy

// A watching is a pair of threads: one waits for command buffers that the other one committed.
type watching struct{ watcher, committer *analyze.Thread }

// FindWatchers returns when threads wait for other threads' command buffers.
func FindWatchers(trace *analyze.Trace) Watchers {
	by := map[watching][]analyze.Interval{}
	for w := range analyze.Each(trace.Waits) {
		if b := trace.WaitsFor(w); b != nil && b.Committed.Thread != nil && b.Committed.Thread != w.Thread {
			of := watching{w.Thread, b.Committed.Thread}
			by[of] = append(by[of], w.Interval)
		}
	}
	return Watchers(unions(by))
}

// Signal reports whether a watcher ended the wait w, and for most of w it waited for command buffers of w's thread. In
// effect, w then is a wait for these.
func (all Watchers) Signal(w *analyze.SignalWait) bool {
	busy := all[watching{w.Signaller, w.Thread}]
	return busy != nil && policy.MoreThan(policy.Majority, busy.LengthWithin(w.Interval), w.Length())
}
