package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// imbalance: threads meet again and again, and wait there for the slowest.
func imbalance(ev *evidence.Evidence) Finding {
	r := Finding{Cause: Imbalance, Confidence: policy.Shown,
		Advice: "share the work out evenly: give the slowest less, hand work out in smaller parts as threads become free, or let threads run ahead of each other"}
	m := ev.Meetings
	switch {
	case len(ev.ForSignals) == 0:
		return r.not("no wait for another thread's signal is in the trace; waits for futexes, as of C++20's barriers, would not be")
	case m == nil:
		return r.not("threads that submit are not let go together by one of them, again and again")
	case ev.Saturated:
		return r.not("threads meet, but the GPU is saturated: shared out evenly their work would take as long")
	}
	last := map[*analyze.Thread]analyze.Nanos{}
	for _, round := range m.Rounds {
		r.Lost += round.Lost
		last[round.Last] += round.Lost
	}
	r.Holds = true
	r.Speedup = evenly(m)
	r.say("%d threads met %d times; at each, all waited for the one that came last", len(m.Threads), len(m.Rounds))
	slow := sharesOf(last, r.Lost)
	r.say("they waited %s, %s of their time: for %s", r.Lost, percent(ev.Share(r.Lost)), slow)
	r.say("without it means: shared out evenly, so that all are at each meeting when they are there on average now")
	r.say("the GPU was busy for %s of the time, with %.2f command buffers at once while busy", percent(ev.Busy), ev.GPU.Overlap)
	r.without = cannot("it is not seen what would be shared out")
	r.sum("Threads meet again and again, and wait there for the slowest for %s of their time: for %s.", percent(ev.Share(r.Lost)), slow)
	return r
}

// evenly is how many times as fast the rounds would be if what was done in each were shared out evenly; the interval is what quarters of the
// run give, and the error of every prediction.
func evenly(m *evidence.Meetings) *replay.Speedup {
	whole := gained(m, m.Rounds)
	if whole == 0 {
		return nil
	}
	s := &replay.Speedup{Estimate: whole, Low: whole, High: whole}
	for q := range 4 {
		if part := gained(m, m.Rounds[q*len(m.Rounds)/4:(q+1)*len(m.Rounds)/4]); part > 0 {
			s.Low, s.High = min(s.Low, part), max(s.High, part)
		}
	}
	s.Low, s.High = s.Low*(1-policy.Alike.Value), s.High*(1+policy.Alike.Value)
	return s
}

func gained(m *evidence.Meetings, rounds []evidence.Round) float64 {
	if len(rounds) < 2 {
		return 0
	}
	var lost analyze.Nanos
	for _, r := range rounds[1:] {
		lost += r.Lost
	}
	took := rounds[len(rounds)-1].At - rounds[0].At
	left := took - lost/analyze.Nanos(len(m.Threads))
	if left <= 0 {
		return 0
	}
	return float64(took) / float64(left)
}
