package evidence

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Starvation is the time in which the GPU is idle because the threads that submit to it wait for other threads'
// signals or for input.
type Starvation struct {
	Lost    analyze.Nanos
	Outside analyze.Nanos // not in Lost: waits for clients, a terminal or standard input
	// the descriptors that the submitting threads or their producers waited at, for the time in both Lost and Outside
	Inputs   Inputs
	Upstream Upstream                  // not in Lost: activities of the producers that have a cause of their own
	Feeders  []*Feeder                 // the threads that are waited for, longest first
	When     map[*analyze.Thread]*Busy // when each thread waited at such an object, whether or not the GPU was idle
	// the object at which each thread waited longest: threads with the same object take work from the same queue
	At map[*analyze.Thread]LockKey
	// waits of pipeline stages for each other at pipes and sockets
	Passings []Passing
}

// A Feeder is a thread for whose signal submitting threads wait while the GPU is idle.
type Feeder struct {
	Thread    *analyze.Thread // nil when not known
	What      string
	Idle      analyze.Nanos
	meanwhile [blockings]analyze.Nanos // the time that the feeder was in calls that block, within these waits
}

// feedingInput has the inputs for finding starvation.
type feedingInput struct {
	work       *GPUWork
	waits      []analyze.SignalWait // ThreadWaits.Merged
	submitters *Submitters
	blocked    Blocked
	barriers   *Barriers
	inputs     *Inputs
	stages     *Stages
}

// FindStarvation computes for how long the GPU was idle because submitting threads waited for other threads or for
// input, and for whom they waited. Call it only if the GPU is not saturated. Waits at barriers are left out, because
// they count as imbalance. If threads submit for others (h), waits for requests and answers are left out too, because
// they count as single-submitter; only the clients' waits for input remain.
func FindStarvation(work *GPUWork, waits []analyze.SignalWait, submitters *Submitters, blocked Blocked,
	barriers *Barriers, h *Handover) (s Starvation) {
	stages := FindStages(work.trace, waits, submitters)
	s.Passings = stages.passings(work.trace)
	if h.Holds() {
		s.Inputs = FindInputs(work, submitters, h.Threads, &stages)
		return Starvation{Lost: s.Inputs.Lost, Outside: s.Inputs.Outside, Inputs: s.Inputs,
			When: unions(s.Inputs.When)}
	}
	s.Inputs = FindInputs(work, submitters, submitters.Submits, &stages)
	s.Lost, s.Outside = s.Inputs.Lost, s.Inputs.Outside
	in := feedingInput{work, waits, submitters, blocked, barriers, &s.Inputs, &stages}
	type key struct {
		thread *analyze.Thread
		what   string
	}
	var by Ordered[key, Feeder]
	places := map[LockKey]bool{}
	producers := findProducing(work.trace)
	for w := range analyze.Each(waits) {
		if !submitters.Submits[w.Thread] || !in.feeds(w) {
			continue
		}
		idle := submitters.idleIn(work, w)
		if idle <= 0 {
			continue
		}
		if in.inputs.awaitsOutside(w) {
			s.Outside += idle
			if len(s.Inputs.scheduled[w.Signaller]) > 0 {
				s.Inputs.addScheduled(w, idle)
			}
			continue
		}
		places[feedingPlace(w)] = true
		if w.Signaller != nil && !submitters.Submits[w.Signaller] {
			if idle = producers.explain(w, idle, &s.Upstream); idle == 0 {
				continue
			}
			if r := producers.readsFor(w); r != nil {
				s.Inputs.add(r, idle)
				s.Lost += idle
				continue
			}
		}
		x := by.Of(key{w.Signaller, cmp.Or(w.Name, w.Selector)})
		x.add(blocked, w, idle)
		s.Lost += idle
	}
	s.When, s.At = in.waitsAt(places, &producers)
	s.Inputs.sort()
	s.Feeders = by.All
	slices.SortStableFunc(s.Feeders, func(x, y *Feeder) int { return cmp.Compare(y.Idle, x.Idle) })
	return s
}

// feeds reports whether the wait w is for something that another thread produces or consumes, and the GPU does not
// delay that thread. Waits at barriers, for a delayed pipeline stage, or for a completion handler do not count.
func (in *feedingInput) feeds(w *analyze.SignalWait) bool {
	return w.Thread != nil && !w.GivenBack && w.Signaller != w.Thread &&
		(in.barriers == nil || !in.barriers.inside[w]) &&
		!in.stages.Signals(w)
}

func feedingPlace(w *analyze.SignalWait) LockKey {
	k := LockKey{process: w.Thread.Process, address: w.Object}
	if w.Object == 0 {
		k.name = w.Name
	}
	return k
}

// waitsAt returns the times in which threads waited at the objects in `places`, and the object at which each thread
// waited longest. If the producers always kept up, these waits would disappear, so the replay removes them to predict
// the gain.
func (in *feedingInput) waitsAt(places map[LockKey]bool, producers *producing) (map[*analyze.Thread]*Busy,
	map[*analyze.Thread]LockKey) {
	type at struct {
		thread *analyze.Thread
		place  LockKey
	}
	when, took, longest := map[*analyze.Thread][]analyze.Interval{}, map[at]analyze.Nanos{},
		map[*analyze.Thread]LockKey{}
	for w := range analyze.Each(in.waits) {
		place := feedingPlace(w)
		if !places[place] || !in.feeds(w) || in.inputs.awaitsOutside(w) {
			continue
		}
		unexplained := w.Interval
		if !in.submitters.Submits[w.Signaller] { // compilation and allocation by the producer have causes of their own
			unexplained.End = unexplained.Begin + producers.explain(w, w.Length(), &Upstream{})
		}
		when[w.Thread] = append(when[w.Thread], unexplained)
		here := at{w.Thread, place}
		if took[here] += w.Length(); took[here] >= took[at{w.Thread, longest[w.Thread]}] {
			longest[w.Thread] = place
		}
	}
	for t, list := range in.inputs.When {
		when[t] = append(when[t], list...)
	}
	return unions(when), longest
}

// idleIn returns for how much of the wait w the GPU was idle and the waiting thread had no work in flight.
func (s *Submitters) idleIn(work *GPUWork, w *analyze.SignalWait) analyze.Nanos {
	return s.idleDuring(work, &w.Call)
}

// idleDuring returns for how much of the call w the GPU was idle and the calling thread had no work in flight.
func (s *Submitters) idleDuring(work *GPUWork, w *analyze.Call) analyze.Nanos {
	i := w.Interval.Within(atWork(w.Thread))
	idle := i.Length()
	for _, d := range work.Devices {
		idle = min(idle, i.Length()-d.any.Within(i))
	}
	return min(idle, i.Length()-s.onGPU[w.Thread].Within(i))
}

func (x *Feeder) add(blocked Blocked, w *analyze.SignalWait, idle analyze.Nanos) {
	x.Thread, x.What = w.Signaller, cmp.Or(w.Name, w.Selector)
	x.Idle += idle
	for kind, by := range blocked[w.Signaller] {
		x.meanwhile[kind] += by.Within(w.Interval)
	}
}

// Doing returns, as a clause for the report, what the feeder did for most of the time that others waited for it. It
// is empty if the trace does not show that.
func (x *Feeder) Doing() string {
	for _, c := range []struct {
		took analyze.Nanos
		what string
	}{{x.meanwhile[onCompile], "compiled"}, {x.meanwhile[onGPU] + x.meanwhile[onOthers], "waited for the GPU"},
		{x.meanwhile[onLock], "waited for a lock"},
		{x.meanwhile[onSignal], "waited for a signal itself"},
		{x.meanwhile[onResidency], "made memory resident"}} {
		if x.Thread != nil && policy.MoreThan(policy.Most, c.took, x.Idle) {
			return fmt.Sprintf(", which %s meanwhile", c.what)
		}
	}
	return ""
}

// StarvedAt returns the place in the program where submitting threads wait longest for signals, or "" if stacks were
// not recorded.
func StarvedAt(submitters *Submitters, waits []analyze.SignalWait) (best string) {
	took := map[string]analyze.Nanos{}
	for w := range analyze.Each(waits) {
		if w.Stack == nil || !submitters.Submits[w.Thread] || w.Stack.Site() == nil {
			continue
		}
		at := w.Stack.Site().String()
		if took[at] += w.Length(); took[at] > took[best] || took[at] == took[best] && at < best {
			best = at
		}
	}
	return best
}

// Who returns the name of the feeding thread for the report.
func (x *Feeder) Who() string {
	if x.Thread == nil {
		return "an unknown thread"
	}
	return ThreadName(x.Thread)
}
