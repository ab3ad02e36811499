package insight

import (
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A slowdown compares a thread's processor work for command buffers after a pause of the thread with its work for the
// same kind of command buffer without a pause.
type slowdown struct {
	thread           *analyze.Thread
	what             string
	after, without   analyze.Nanos // medians
	slow             []hostWork    // the work after a pause that is slower than without
	shortest         analyze.Nanos // pause
	pauses, compared int           // number of command buffers with a pause, and without
	cost             analyze.Nanos
}

// slowAfterPause finds threads whose processor work for the same kind of command buffer takes longer whenever the
// thread slept or waited before it.
func slowAfterPause(in *Input) *Insight {
	var most *slowdown
	var cost analyze.Nanos
	var where sites
	idle := in.awayOf()
	work := in.hostWork(idle)
	const first = policy.MostWarmUpIterations / policy.IdleWarmUpDivisor // another insight covers first iterations
	for _, s := range in.series() {
		var list []hostWork
		for i := first; i < len(s.list); i++ {
			if w, known := work[s.list[i].buffer.Index]; known {
				list = append(list, w)
			}
		}
		found := slowdownOf(s.thread, list)
		if found == nil || !found.onProcessor(idle[s.thread]) {
			continue
		}
		cost += found.cost
		for _, w := range found.slow {
			where.add(&w.buffer.Committed, "commit", name(w.buffer), 1, 0, 0)
		}
		if most == nil || found.cost > most.cost {
			most = found
		}
	}
	if most == nil || float64(cost) < policy.WholeShareOfTime*float64(in.threadTime()) {
		return nil
	}
	return &Insight{Severity: Info, Cost: cost, Where: where.most(),
		Evidence: fmt.Sprintf(
			"when thread %d %s slept or waited for %v or longer, the next %s took %.1f times as long, "+
				"%v instead of %v of processor work (medians of %d with such a pause and %d without): "+
				"%s longer together", most.thread.ID,
			most.thread.Name, most.shortest, most.what, float64(most.after)/float64(max(1, most.without)), most.after,
			most.without, most.pauses, most.compared, in.ofThreads(cost))}
}

// slowdownOf compares the processor work for command buffers after a pause of the thread with the work for equal
// command buffers without a pause. It returns nil if the work after a pause is not slower.
func slowdownOf(thread *analyze.Thread, list []hostWork) *slowdown {
	if len(list) < 2*policy.FewestOccurrences.Count() {
		return nil
	}
	pauses := make([]analyze.Nanos, len(list))
	for i, w := range list {
		pauses[i] = w.paused
	}
	slices.Sort(pauses)
	// the usual wait of a step without a pause. It is taken from the shortest waits, because most steps may have a pause
	usual := pauses[len(pauses)/policy.FewestOccurrences.Count()]
	var paused, others []hostWork
	for _, w := range list {
		switch {
		case w.paused >= max(policy.LongPause, policy.PauseRatio*usual):
			paused = append(paused, w)
		case w.paused <= max(policy.LongPause, policy.PauseRatio*usual)/2:
			others = append(others, w)
		}
	}
	if len(paused) < policy.FewestOccurrences.Count() || len(others) < policy.FewestOccurrences.Count() {
		return nil
	}
	var most *slowdown
	for _, part := range []struct {
		what string
		of   func(hostWork) analyze.Nanos
	}{
		{"encoding and commit", func(w hostWork) analyze.Nanos { return w.encode }},
		{"step from commit to commit", func(w hostWork) analyze.Nanos { return w.whole }},
	} {
		s := compared(paused, others, part.of)
		if s != nil && (most == nil || s.cost > most.cost) {
			s.thread, s.what = thread, part.what
			most = s
		}
	}
	return most
}

// compared returns how much longer the work after a pause takes than the other work; nil if it does not take longer.
func compared(paused, others []hostWork, of func(hostWork) analyze.Nanos) *slowdown {
	sorted := func(list []hostWork) []analyze.Nanos {
		times := make([]analyze.Nanos, len(list))
		for i, w := range list {
			times[i] = of(w)
		}
		slices.Sort(times)
		return times
	}
	after, without := sorted(paused), sorted(others)
	// Compare the lower quartile of the times after a pause with the upper quartile of the other times: then a few
	// outliers in either list cannot make the difference.
	long, short := after[len(after)/4], without[len(without)*3/4]
	if float64(long) < policy.SlowerAfterIdle*float64(short) || long-short < policy.SlowerAtLeast {
		return nil
	}
	s := &slowdown{after: after[len(after)/2], without: without[len(without)/2], pauses: len(paused),
		compared: len(others), shortest: paused[0].paused}
	for _, w := range paused {
		s.shortest = min(s.shortest, w.paused)
		if of(w) > s.without {
			s.slow = append(s.slow, w)
			s.cost += of(w) - s.without
		}
	}
	return s
}

// onProcessor reports whether the additional time after pauses was spent on a processor. It returns true if that is
// not known. It returns false if the thread mostly waited for a processor, or may have waited for something that was
// not recorded.
func (s *slowdown) onProcessor(idle away) bool {
	working := s.thread.Working
	used := s.thread.CPUIn(working)
	if used.Covered*2 < working.Length() || used.Covered == 0 {
		return true
	}
	wanted := used.Ran + max(0, used.Waited)
	if used.Ran*2 < wanted {
		return false
	}
	wanted = analyze.Nanos(float64(wanted) / float64(used.Covered) * float64(working.Length()))
	return wanted >= working.Length()-evidence.NewBusy(idle.waits).LengthWithin(working)-s.cost/2
}
