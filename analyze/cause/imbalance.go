package cause

import (
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// imbalance holds if threads wait at a recurring barrier for the slowest of them.
func imbalance(ev *evidence.Evidence) Finding {
	r := Finding{Cause: Imbalance, Confidence: policy.ConfidenceShown,
		Advice: "balance the work: give the slowest thread less, " +
			"or distribute smaller pieces as threads become free; or let threads run ahead of each other"}
	m := ev.Barriers
	switch {
	case len(ev.ThreadWaits.Merged) == 0:
		return r.reject("no wait for another thread's signal is in the trace; %s", barriersSeen(ev))
	case m == nil:
		return r.reject("no recurring barrier among the submitting threads; %s", barriersSeen(ev))
	case ev.Occupancy.Saturated:
		return r.reject("threads meet at a barrier, but the GPU is saturated: balanced work would take as long")
	}
	last := map[*analyze.Thread]analyze.Nanos{}
	for _, round := range m.Rounds {
		r.Lost += round.Lost
		last[round.Last] += round.Lost
	}
	r.Present = true
	r.Speedup = evenly(m)
	r.explain("%d threads met at a barrier %d times; each time, all waited for the last to arrive",
		len(m.Threads), len(m.Rounds))
	slow := sharesOf(last, r.Lost)
	r.explain("they waited %s, %s of their time; the last to arrive: %s", r.Lost, percent(ev.Submitters.Share(r.Lost)),
		slow)
	r.explain("the prediction balances the work, so that all threads take equally long between barriers on average; " +
		"random variation stays")
	r.explain("the GPU was busy for %s of the time, with %.2f command buffers at once while busy",
		percent(ev.Occupancy.Busy),
		ev.GPU.Overlap)
	if m.Rotates() {
		r.explain("the threads arrive last in turn, so the prediction balances the work of each single round")
	}
	r.removalChange = func(p replayed) (replay.Change, string) {
		if p.Meets() {
			return replay.Change{Even: true}, ""
		}
		return replay.Change{}, "the trace does not show which work would be balanced"
	}
	r.summarize("Threads meet at a recurring barrier and spend %s of their time waiting there for the slowest: %s.",
		percent(ev.Submitters.Share(r.Lost)), slow)
	return r
}

// evenly returns the speedup of the run if all threads had the same amount of work on average. Then the threads still
// wait for the slowest one in each round (from one barrier to the next), because times vary by chance. The interval
// covers three uncertainties: the results for each quarter of the run, the gain if all threads took the same time in
// every round, and the usual error of a prediction.
func evenly(m *evidence.Barriers) *replay.Speedup {
	usual, all := usualTimes(m)
	whole, average := gained(m.Rounds, usual, all)
	if whole == 0 {
		return nil
	}
	rotates := m.Rotates()
	if rotates { // on average, all threads have the same amount of work
		whole = average
	}
	s := &replay.Speedup{Estimate: whole, Low: whole, High: max(whole, average),
		Spread: policy.SpreadOfCauses}
	for q := range 4 {
		if part, average := gained(m.Rounds[q*len(m.Rounds)/4:(q+1)*len(m.Rounds)/4], usual, all); part > 0 {
			if rotates {
				part = average
			}
			s.Low, s.High = min(s.Low, part), max(s.High, part, average)
		}
	}
	s.Low, s.High = s.Low*(1-policy.RunToRunVariation.Value), s.High*(1+policy.RunToRunVariation.Value)
	return s
}

// usualTimes returns the average time in ns from one barrier to a thread's arrival at the next: by thread, and over
// all threads.
func usualTimes(m *evidence.Barriers) (usual map[*analyze.Thread]float64, all float64) {
	usual = map[*analyze.Thread]float64{}
	times := map[*analyze.Thread]float64{}
	for _, r := range m.Rounds {
		for _, c := range r.Arrivals {
			usual[c.Thread] += float64(c.After)
			times[c.Thread]++
		}
	}
	for t := range usual {
		usual[t] /= times[t]
		all += usual[t] / float64(len(usual))
	}
	return usual, all
}

// then returns the time at which a thread would arrive at a barrier if it had the average amount of work. A thread
// with more work than average (usual > all) becomes faster in proportion. To a thread with less work only the
// difference is added, because its occasional delays do not grow with its work.
func then(came, usual, all float64) float64 {
	if usual > all {
		return came * all / usual
	}
	return came + all - usual
}

// gained returns two speedups of the rounds (times from one barrier to the next): if all threads had the same amount
// of work on average (even), and if all took the same time in every round (average). Both are 0 if there are too few
// rounds to tell.
func gained(rounds []evidence.Round, usual map[*analyze.Thread]float64, all float64) (even, average float64) {
	if len(rounds) < 2 {
		return 0, 0
	}
	took := float64(rounds[len(rounds)-1].At - rounds[0].At)
	evenLeft, averageLeft := took, took
	for _, r := range rounds[1:] {
		var last, lastThen, sum float64
		for _, c := range r.Arrivals {
			after := float64(c.After)
			last, lastThen, sum = max(last, after), max(lastThen, then(after, usual[c.Thread], all)), sum+after
		}
		evenLeft -= last - lastThen
		averageLeft -= last - sum/float64(len(r.Arrivals))
	}
	if evenLeft <= 0 || averageLeft <= 0 {
		return 0, 0
	}
	return max(1, took/evenLeft), took / averageLeft
}

// barriersSeen tells, for the report, which kinds of barriers a trace from this system shows and which it does not.
func barriersSeen(ev *evidence.Evidence) string {
	if s := &ev.Trace.Source; s.Kind == "mtrace" && strings.HasPrefix(strings.ToLower(s.OS), "linux") {
		return "a trace shows barriers of pthread and of C++20, but none on which threads spin"
	}
	return "a trace shows only barriers made of condition variables or semaphores, " +
		"but not C++20's, and none on which threads spin"
}
