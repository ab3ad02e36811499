package serial

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// starvation: the GPU has nothing to do, because threads that feed it wait for another thread's signal: for data, for room for their results,
// for whatever the other makes. Meetings are imbalance, and threads that hand their work to one that submits make that one the single submitter.
func starvation(a *Analysis, f *facts) Finding {
	r := Finding{Cause: Starvation, Confidence: policy.Shown,
		Advice: "make what the GPU's threads wait for sooner: more threads for it, earlier, or more of it ahead in a queue"}
	switch {
	case len(a.forSignals) == 0:
		return r.not("no wait for another thread's signal is in the trace; waits for futexes, pipes and sockets would not be")
	case a.handover.holds():
		return r.not("threads wait for the one that submits for them, and it for what they ask")
	case f.saturated:
		return r.not("the GPU had no idle time")
	}
	type feeder struct {
		thread *analyze.Thread
		what   string
	}
	by := map[feeder]*starving{}
	var order []feeder
	for i := range a.forSignals {
		w := &a.forSignals[i]
		if !f.submits[w.Thread] || w.GivenBack || w.Signaller == w.Thread || f.meetings != nil && f.meetings.inside[w] {
			continue
		}
		idle := a.idleIn(f, w)
		if idle <= 0 {
			continue
		}
		k := feeder{w.Signaller, cmp.Or(w.Name, w.Selector)}
		if by[k] == nil {
			by[k] = &starving{}
			order = append(order, k)
		}
		by[k].add(a, w, idle)
		r.Lost += idle
		f.starving[w.Thread] = append(f.starving[w.Thread], w.Interval)
	}
	if f.share(r.Lost) < policy.Negligible.Value {
		return r.not("threads that submit waited %s for other threads' signals while the GPU had nothing to do", r.Lost)
	}
	slices.SortStableFunc(order, func(x, y feeder) int { return compare(by[y].idle, by[x].idle) })
	r.Holds = true
	r.say("threads that feed the GPU waited %s, %s of the threads' time, for other threads' signals while it had nothing to do", r.Lost, percent(f.share(r.Lost)))
	for i, k := range order[:min(policy.MostNamed, len(order))] {
		who := "a thread that is not known"
		if k.thread != nil {
			who = threadName(k.thread)
		}
		if i == 0 {
			r.slowest = who
		}
		r.say("%s of that for the signal of %s (%s)%s", percent(share(by[k].idle, r.Lost)), who, k.what, by[k].doing(k.thread))
	}
	if site := starvedAt(f.submits, a.forSignals); site != "" {
		r.say("they wait in %s", site)
	}
	r.say("the GPU was busy for %s of the time", percent(f.busy))
	return r
}

// idleIn is the part of a wait in which the GPU ran nothing, and the thread had nothing in flight.
func (a *Analysis) idleIn(f *facts, w *analyze.SignalWait) analyze.Nanos {
	i := clip(w.Interval, atWork(w.Thread))
	idle := i.Length()
	for _, d := range a.deviceOrder {
		idle = min(idle, i.Length()-d.any.Within(i))
	}
	return min(idle, i.Length()-f.inFlight[w.Thread].Within(i))
}

// starving sums waits for one thread's signal.
type starving struct {
	idle, compiles, waits, locked, others analyze.Nanos
}

func (s *starving) add(a *Analysis, w *analyze.SignalWait, idle analyze.Nanos) {
	s.idle += idle
	by := a.spans[w.Signaller]
	if by == nil || w.Signaller == nil {
		return
	}
	s.compiles += by.compile.Within(w.Interval)
	s.waits += by.waits.Within(w.Interval) + by.foreign.Within(w.Interval)
	s.locked += by.locks.Within(w.Interval)
	s.others += by.signals.Within(w.Interval)
}

// doing says what the other thread did for most of that; empty when that is not in the trace.
func (s *starving) doing(t *analyze.Thread) string {
	for _, c := range []struct {
		took analyze.Nanos
		what string
	}{{s.compiles, "compiled"}, {s.waits, "waited for the GPU"}, {s.locked, "waited for a lock"}, {s.others, "waited for a signal itself"}} {
		if t != nil && policy.MoreThan(policy.Most, c.took, s.idle) {
			return fmt.Sprintf(", which %s meanwhile", c.what)
		}
	}
	return ""
}

// starvedAt is the place in the program where threads wait longest for signals; empty when stacks were not recorded.
func starvedAt(submits map[*analyze.Thread]bool, waits []analyze.SignalWait) string {
	took := map[string]analyze.Nanos{}
	best := ""
	for i := range waits {
		w := &waits[i]
		if w.Stack == nil || !submits[w.Thread] {
			continue
		}
		frame := w.Stack.Site()
		if frame == nil {
			continue
		}
		at := frame.String()
		if took[at] += w.Length(); best == "" || took[at] > took[best] || took[at] == took[best] && at < best {
			best = at
		}
	}
	return best
}
