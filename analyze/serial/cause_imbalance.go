package serial

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// imbalance: threads meet again and again, and wait there for the slowest.
func imbalance(a *Analysis, f *facts) Finding {
	r := Finding{Cause: Imbalance, Confidence: policy.Shown,
		Advice: "share the work out evenly: give the slowest less, hand work out in smaller parts as threads become free, or let threads run ahead of each other"}
	m := f.meetings
	switch {
	case len(a.forSignals) == 0:
		return r.not("no wait for another thread's signal is in the trace; waits for futexes, as of C++20's barriers, would not be")
	case m == nil:
		return r.not("threads that submit are not let go together by one of them, again and again")
	case f.saturated:
		return r.not("threads meet, but the GPU is saturated: shared out evenly their work would take as long")
	}
	last := map[*analyze.Thread]analyze.Nanos{}
	for _, round := range m.rounds {
		r.Lost += round.lost
		last[round.last] += round.lost
	}
	r.Holds = true
	r.Speedup = m.evenly()
	r.say("%d threads met %d times; at each, all waited for the one that came last", len(m.threads), len(m.rounds))
	r.slowest = slowest(last, r.Lost)
	r.say("they waited %s, %s of their time: for %s", r.Lost, percent(f.share(r.Lost)), r.slowest)
	r.say("without it means: shared out evenly, so that all are at each meeting when they are there on average now")
	r.say("the GPU was busy for %s of the time, with %.2f command buffers at once while busy", percent(f.busy), a.GPU.Overlap)
	return r
}

// slowest is "worker-0 17 (80 %), worker-3 20 (20 %)".
func slowest(last map[*analyze.Thread]analyze.Nanos, of analyze.Nanos) string {
	var threads []*analyze.Thread
	for t := range last {
		threads = append(threads, t)
	}
	slices.SortFunc(threads, func(x, y *analyze.Thread) int {
		return cmp.Or(compare(last[y], last[x]), compare(uint64(x.ID), uint64(y.ID)))
	})
	var words []string
	for _, t := range threads[:min(policy.MostHolders, len(threads))] {
		words = append(words, fmt.Sprintf("%s (%s)", threadName(t), percent(share(last[t], of))))
	}
	return strings.Join(words, ", ")
}
