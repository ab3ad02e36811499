package serial

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A round is one time that threads met: all of them waited for the one that came last.
type round struct {
	last  *analyze.Thread // that the others waited for
	at    analyze.Nanos   // when it let them go
	waits []*analyze.SignalWait
	lost  analyze.Nanos // thread time until then
}

// meetings are the rounds of threads that meet again and again, and who takes part.
type meetings struct {
	rounds  []round
	threads map[*analyze.Thread]bool // that meet
	inside  map[*analyze.SignalWait]bool
}

// findMeetings finds the rounds in which most of the threads that wait for each other's signals are let go together; nil when that is not
// what most of that waiting is. One thread may be there only to let the others go, when the last of them has told it to.
func (a *Analysis) findMeetings(submits map[*analyze.Thread]bool) *meetings {
	if a.handover.holds() {
		return nil
	}
	var list []*analyze.SignalWait
	byThread := map[*analyze.Thread][]*analyze.SignalWait{}
	for i := range a.forSignals {
		w := &a.forSignals[i]
		if w.Signaller == nil || w.Signaller == w.Thread || w.GivenBack || w.TimedOut || w.Signalled <= w.Begin || w.Signalled > w.End {
			continue
		}
		byThread[w.Thread] = append(byThread[w.Thread], w)
		if submits[w.Thread] {
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(x, y *analyze.SignalWait) int { return compare(x.Signalled, y.Signalled) })
	m := &meetings{threads: map[*analyze.Thread]bool{}, inside: map[*analyze.SignalWait]bool{}}
	var all analyze.Nanos
	for from := 0; from < len(list); {
		r := round{last: list[from].Signaller, at: list[from].Signalled}
		to := from
		for ; to < len(list) && list[to].Signaller == r.last && list[to].Signalled-r.at <= policy.Launch.Nanos(); to++ {
			r.waits = append(r.waits, list[to])
			m.threads[list[to].Thread] = true
			r.lost += list[to].Signalled - list[to].Begin
		}
		from, all = to, all+r.lost
		m.rounds = append(m.rounds, r)
	}
	for i := range m.rounds {
		r := &m.rounds[i]
		if submits[r.last] {
			m.threads[r.last] = true
		} else if told := lastBefore(byThread[r.last], r.at); told != nil && m.threads[told.Signaller] {
			r.last = told.Signaller
		}
	}
	var lost analyze.Nanos
	m.rounds = slices.DeleteFunc(m.rounds, func(r round) bool {
		return !m.threads[r.last] || !policy.AtLeast(policy.Broad, len(r.waits), len(m.threads)-1)
	})
	for _, r := range m.rounds {
		lost += r.lost
		for _, w := range r.waits {
			m.inside[w] = true
		}
	}
	if len(m.threads) < 2 || len(m.rounds) < policy.Pattern.Count() || !policy.AtLeast(policy.Most, lost, all) {
		return nil
	}
	if len(m.threads) == 2 && m.takeTurns() {
		return nil
	}
	return m
}

// lastBefore is the wait that ended last before an instant.
func lastBefore(list []*analyze.SignalWait, at analyze.Nanos) (last *analyze.SignalWait) {
	for _, w := range list {
		if w.Signalled <= at && (last == nil || w.Signalled > last.Signalled) {
			last = w
		}
	}
	return last
}

// takeTurns says whether only one of two threads ever waits for the other, as for what that makes; or each waits as often as it lets the other
// go, in turns, which is a hand-over and no meeting.
func (m *meetings) takeTurns() bool {
	by := map[*analyze.Thread]int{}
	turns := 0
	for i, r := range m.rounds {
		by[r.last]++
		if i > 0 && m.rounds[i-1].last != r.last {
			turns++
		}
	}
	return len(by) < 2 || policy.AtLeast(policy.NearlyAll, turns, len(m.rounds)-1)
}

// evenly is how many times as fast the rounds would be if what was done in each were shared out evenly; the interval is what quarters of the
// run give, and the error of every prediction.
func (m *meetings) evenly() *Speedup {
	whole := m.gained(m.rounds)
	if whole == 0 {
		return nil
	}
	s := &Speedup{Estimate: whole, Low: whole, High: whole}
	for q := range 4 {
		if part := m.gained(m.rounds[q*len(m.rounds)/4 : (q+1)*len(m.rounds)/4]); part > 0 {
			s.Low, s.High = min(s.Low, part), max(s.High, part)
		}
	}
	s.Low, s.High = s.Low*(1-policy.Alike.Value), s.High*(1+policy.Alike.Value)
	return s
}

func (m *meetings) gained(rounds []round) float64 {
	if len(rounds) < 2 {
		return 0
	}
	var lost analyze.Nanos
	for _, r := range rounds[1:] {
		lost += r.lost
	}
	took := rounds[len(rounds)-1].at - rounds[0].at
	left := took - lost/analyze.Nanos(len(m.threads))
	if left <= 0 {
		return 0
	}
	return float64(took) / float64(left)
}
