package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Round is one pass of the threads through a barrier, where all wait for the last one to arrive.
type Round struct {
	Last     *analyze.Thread // the last to arrive, for which the others waited
	At       analyze.Nanos   // when the threads were released
	waits    []*analyze.SignalWait
	third    bool          // the thread that released the others is not the last, which signalled it to do so
	Lost     analyze.Nanos // thread time spent waiting for the last one
	Arrivals []Arrival     // the arrivals of the threads; empty for the first round
}

// An Arrival tells how long after the previous round of the barrier a thread arrived at this round.
type Arrival struct {
	Thread *analyze.Thread
	After  analyze.Nanos
}

// Barriers describes one barrier that the same threads pass again and again: its rounds in order of time, and its
// threads.
type Barriers struct {
	Rounds  []Round
	Threads map[*analyze.Thread]bool // the threads that pass the barrier
	inside  map[*analyze.SignalWait]bool
}

// Rotates reports whether the threads arrive last in a fixed rotation: no thread is last in most rounds, and with n
// threads the last one is nearly always the thread that was last n rounds ago. Then the threads alternate on purpose,
// and no thread is the slow one.
func (m *Barriers) Rotates() bool {
	n, again := len(m.Threads), 0
	last := map[*analyze.Thread]int{}
	for i := range m.Rounds {
		last[m.Rounds[i].Last]++
		if i >= n && m.Rounds[i].Last == m.Rounds[i-n].Last {
			again++
		}
	}
	for _, times := range last {
		if policy.MoreThan(policy.Majority, times, len(m.Rounds)) {
			return false
		}
	}
	return len(m.Rounds) > n && policy.NearlyAll(again, len(m.Rounds)-n)
}

// FindBarriers finds the rounds of a barrier. A round is a moment at which one thread releases most of the waiting
// submitting threads, within policy.LongestHandOff. Normally the thread that releases the others arrived last. If it
// submits nothing, it only coordinates: the submitting thread that signalled it just before arrived last. FindBarriers
// returns nil if the waits for such rounds are too small a part of the submitting threads' waits for signals.
func FindBarriers(work *GPUWork, waits []analyze.SignalWait, submitters *Submitters, h *Delegation) *Barriers {
	if h.Confirmed() {
		return nil
	}
	var list []*analyze.SignalWait
	byThread := map[*analyze.Thread][]*analyze.SignalWait{}
	for w := range analyze.Each(waits) {
		if w.Signaller == nil || w.Signaller == w.Thread || w.AcquirerReleased || w.TimedOut || w.Signalled <= w.Begin ||
			w.Signalled > w.End {
			continue
		}
		byThread[w.Thread] = append(byThread[w.Thread], w)
		if submitters.Submits[w.Thread] {
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(x, y *analyze.SignalWait) int { return cmp.Compare(x.Signalled, y.Signalled) })
	m := &Barriers{Threads: map[*analyze.Thread]bool{}, inside: map[*analyze.SignalWait]bool{}}
	var all analyze.Nanos
	for from := 0; from < len(list); {
		r := Round{Last: list[from].Signaller, At: list[from].Signalled}
		to := from
		for ; to < len(list) && list[to].Signaller == r.Last &&
			list[to].Signalled-r.At <= policy.LongestHandOff.Nanos(); to++ {
			r.waits = append(r.waits, list[to])
			m.Threads[list[to].Thread] = true
			r.Lost += list[to].Signalled - list[to].Begin
		}
		from, all = to, all+r.Lost
		m.Rounds = append(m.Rounds, r)
	}
	for r := range analyze.Each(m.Rounds) {
		if submitters.Submits[r.Last] {
			m.Threads[r.Last] = true
		} else if told := lastBefore(byThread[r.Last], r.At); told != nil && m.Threads[told.Signaller] {
			r.Last, r.third = told.Signaller, true
		}
	}
	var lost analyze.Nanos
	m.Rounds = slices.DeleteFunc(m.Rounds, func(r Round) bool {
		return !m.Threads[r.Last] || !policy.AtLeast(policy.DominantShare, len(r.waits), len(m.Threads)-1)
	})
	for _, r := range m.Rounds {
		lost += r.Lost
		for _, w := range r.waits {
			m.inside[w] = true
		}
	}
	if len(m.Threads) < 2 || len(m.Rounds) < policy.FewestOccurrences.Count() ||
		!policy.AtLeast(policy.Majority, lost, all) {
		return nil
	}
	if len(m.Threads) == 2 && m.takeTurns(work, submitters) {
		return nil
	}
	m.findArrivals()
	return m
}

// findArrivals computes when the threads arrived in each round but the first. The last thread often does not wait; it
// arrives when it releases the others.
func (m *Barriers) findArrivals() {
	for i := range m.Rounds[1:] {
		before, r := m.Rounds[i].At, &m.Rounds[i+1]
		waits := false
		for _, w := range r.waits {
			r.Arrivals = append(r.Arrivals, Arrival{w.Thread, max(0, w.Begin-before)})
			waits = waits || w.Thread == r.Last
		}
		if !waits {
			r.Arrivals = append(r.Arrivals, Arrival{r.Last, r.At - before})
		}
	}
}

// lastBefore returns the wait in the list whose signal was given last up to the time `at`; nil if there is none.
func lastBefore(list []*analyze.SignalWait, at analyze.Nanos) (last *analyze.SignalWait) {
	for _, w := range list {
		if w.Signalled <= at && (last == nil || w.Signalled > last.Signalled) {
			last = w
		}
	}
	return last
}

// takeTurns reports whether two threads only alternate, which FindBarriers must not report as a barrier. There are
// three cases. 1: Only one thread is ever last, and the GPU is idle during most of the waiting, so that thread is a
// producer without GPU work. 2: Each waits as often as it releases the other, as in a hand-off. 3: A third thread
// releases one of them at a time, as a producer does that feeds a pool.
func (m *Barriers) takeTurns(work *GPUWork, submitters *Submitters) bool {
	by := map[*analyze.Thread]bool{}
	turns, third, together := 0, 0, 0
	var lost, idle analyze.Nanos
	for i, r := range m.Rounds {
		by[r.Last] = true
		for _, w := range r.waits {
			lost, idle = lost+w.Length(), idle+submitters.idleIn(work, w)
		}
		if i > 0 && m.Rounds[i-1].Last != r.Last {
			turns++
		}
		if r.third {
			third++
		}
		if len(r.waits) == len(m.Threads) {
			together++
		}
	}
	if policy.AtLeast(policy.Majority, third, len(m.Rounds)) { // the last one may not be back when both are released
		return !policy.AtLeast(policy.WorthNaming, together, third)
	}
	return len(by) < 2 && policy.AtLeast(policy.Majority, idle, lost) || policy.NearlyAll(turns, len(m.Rounds)-1)
}
