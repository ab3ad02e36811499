package evidence

import (
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A PassedTask is one task that threads pass to each other: a thread uses the GPU, signals the next thread, and waits
// until its turn comes again. The threads run mutually exclusively, but share no lock.
type PassedTask struct {
	Threads map[*analyze.Thread]bool
	Waits   int           // for the signal of the thread that has the task
	Waited  analyze.Nanos // in these waits
}

// findPassedTask returns the task that threads pass to each other, if that explains why they take turns: nearly each of
// a thread's turns (by) begins after a wait for the signal of one other thread that takes turns, and these waits are
// most of `lost`, the time that the turns cost. It returns nil otherwise.
//
// A lock that a program builds from a condition variable looks similar. So threads that wait at the same object must be
// two, and must wait as soon as they have signalled. Waits at futexes do not count, because many locks use futexes.
func findPassedTask(lost analyze.Nanos, by map[*analyze.Thread][]analyze.Interval, waits []analyze.SignalWait,
) *PassedTask {
	p, passing := &PassedTask{Threads: map[*analyze.Thread]bool{}}, map[*analyze.Thread][]*analyze.SignalWait{}
	at, shared := map[LockKey]*analyze.Thread{}, false
	for w := range analyze.Each(waits) {
		if len(by[w.Thread]) == 0 || len(by[w.Signaller]) == 0 || w.Signaller == w.Thread || w.AcquirerReleased ||
			w.TimedOut || !passesTasks(w.Selector) {
			continue
		}
		passing[w.Thread] = append(passing[w.Thread], w)
		p.Waits++
		p.Waited += w.Length()
		object := producerSite(w)
		shared = shared || at[object] != nil && at[object] != w.Thread
		at[object] = w.Thread
	}
	for thread, turns := range by {
		if len(turns) < policy.FewestThreadOccurrences.Count() {
			continue
		}
		from, most := map[*analyze.Thread]int{}, 0
		for _, w := range passing[thread] {
			from[w.Signaller]++
			most = max(most, from[w.Signaller])
		}
		if !policy.AtLeast(policy.DominantShare, most, len(turns)) {
			return nil
		}
		p.Threads[thread] = true
	}
	if len(p.Threads) < 2 || !policy.AtLeast(policy.DominantShare, p.Waited, lost) ||
		shared && (len(p.Threads) > 2 || !policy.NearlyAll(p.Waited, p.Waited+afterSignals(passing))) {
		return nil
	}
	return p
}

// afterSignals returns how long threads continued after their signals, until they waited themselves.
func afterSignals(passing map[*analyze.Thread][]*analyze.SignalWait) (sum analyze.Nanos) {
	for _, list := range passing {
		for _, w := range list {
			own := passing[w.Signaller]
			k, _ := slices.BinarySearchFunc(own, w.Signalled, func(w *analyze.SignalWait, at analyze.Nanos) int {
				return int(w.Begin - at)
			})
			if w.Signalled > 0 && k < len(own) {
				sum += own[k].Begin - w.Signalled
			}
		}
	}
	return sum
}

// passesTasks reports whether threads use the object of this call to tell each other that something is ready.
func passesTasks(selector string) bool {
	return strings.HasPrefix(selector, "pthread_cond_") || strings.HasPrefix(selector, "sem_") ||
		selector == "dispatch_semaphore_wait" || selector == "dispatch_group_wait"
}
