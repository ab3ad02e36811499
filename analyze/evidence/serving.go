package evidence

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Server is a thread that polls for requests at intervals and sleeps in between. Submitting threads wait for its
// answers while the GPU is idle, and for most of that time the server sleeps.
type Server struct {
	Thread *analyze.Thread
	Waits  int
	Lost   analyze.Nanos // idle time of the GPU in these waits, in which the server slept
	Idle   analyze.Nanos // idle time of the GPU in these waits
	Sleep  analyze.Nanos // median length of the server's sleeps
}

// A sleeper has the recorded sleeps of a thread.
type sleeper struct {
	busy   *Busy
	usual  analyze.Nanos // median length
	serves bool          // the sleeps are short and of one length, and the thread seldom waits for signals
	woken  bool          // the thread often waits for signals
}

// findSleepers returns the sleepers among the threads. A sleep that stands for work, as in a simulation, or that limits
// a rate, cannot be distinguished from the sleep of a thread that polls for requests. Short sleeps of one length are
// treated as polling. A thread that often waits for signals does not poll: requests wake it.
func findSleepers(trace *analyze.Trace, waits []analyze.SignalWait) map[*analyze.Thread]*sleeper {
	sleeps, signalled := map[*analyze.Thread][]analyze.Interval{}, map[*analyze.Thread]int{}
	for w := range analyze.Each(trace.CPUWaits.Blocked) {
		if w.Kind == analyze.BlockedSleep {
			sleeps[w.Thread] = append(sleeps[w.Thread], w.Interval)
		}
	}
	for w := range analyze.Each(waits) {
		if !w.AcquirerReleased {
			signalled[w.Thread]++
		}
	}
	all := make(map[*analyze.Thread]*sleeper, len(sleeps))
	for t, list := range sleeps {
		lengths := make([]analyze.Nanos, len(list))
		for i := range list {
			lengths[i] = list[i].Length()
		}
		slices.Sort(lengths)
		s := &sleeper{usual: lengths[len(lengths)/2], busy: NewBusy(list)}
		short := lengths[len(lengths)/10] // a busy machine makes sleeps longer, never shorter
		s.woken = !policy.NearlyAll(len(list), len(list)+signalled[t])
		s.serves = len(list) >= policy.FewestSamples.Count() && s.usual <= policy.LongestPollingSleep &&
			float64(s.usual-short) <= policy.PollingSleepSpread*float64(s.usual) && !s.woken
		all[t] = s
	}
	return all
}

// isWoken reports whether the thread often waits for signals, so that it does not poll; false for nil.
func (s *sleeper) isWoken() bool { return s != nil && s.woken }

// asleep returns how long the thread slept in the interval; 0 for nil.
func (s *sleeper) asleep(i analyze.Interval) analyze.Nanos {
	if s == nil {
		return 0
	}
	return s.busy.LengthWithin(i)
}

// servedBy separates the server, a thread that polls for requests and sleeps in between, from the other producers. It
// returns nil and all producers if threads seldom waited for the server, or if its sleep is not most of `lost` (the
// GPU's idle time in waits for producers) or a negligible share of `working` (the submitting threads' time). The
// producers must be sorted, the longest awaited first.
func servedBy(feeders []*Producer, lost, working analyze.Nanos,
	sleepers map[*analyze.Thread]*sleeper) (*Server, []*Producer) {
	if len(feeders) == 0 {
		return nil, feeders
	}
	s := &Server{Thread: feeders[0].Thread}
	by := sleepers[s.Thread]
	if by == nil || !by.serves {
		return nil, feeders
	}
	var others []*Producer
	for _, x := range feeders {
		if x.Thread != s.Thread {
			others = append(others, x)
			continue
		}
		s.Waits, s.Lost, s.Idle = s.Waits+x.waits, s.Lost+x.asleep, s.Idle+x.Idle
	}
	if s.Waits < policy.FewestOccurrences.Count() || !policy.MoreThan(policy.Majority, s.Lost, lost) ||
		!policy.AtLeast(policy.NegligibleShare, s.Lost, working) {
		return nil, feeders
	}
	s.Sleep = by.usual
	return s, others
}
