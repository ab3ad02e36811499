package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Starvation is the time in which the GPU is idle because the threads that submit to it wait for other threads'
// signals or for input.
type Starvation struct {
	Lost    analyze.Nanos // idle time that is not counted in Outside, Upstream or Server
	Outside analyze.Nanos // idle time in waits for clients, a terminal or standard input
	// the descriptors at which the submitting threads or their producers waited, for the time in Lost and in Outside
	Inputs    Inputs
	Upstream  Upstream    // idle time in which a producer compiled or allocated: the report has other causes for that
	Server    *Server     // a thread that polls for requests and sleeps in between; not in Lost or Producers; may be nil
	Producers []*Producer // the threads whose signals were awaited, the longest awaited first
	Timeouts  Timeouts    // waits that their time limit ended, because no signal came; part of Lost
	// when each thread waited at an object (such as a semaphore) that a producer signals, even while the GPU was busy
	When map[*analyze.Thread]*Busy
	// the object at which each thread waited longest: threads with the same object take work from the same queue
	At map[*analyze.Thread]LockKey
	// waits of pipeline stages for each other at pipes and sockets
	Passings []Passing
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
	sleepers   map[*analyze.Thread]*sleeper
}

// FindStarvation computes for how long the GPU was idle because submitting threads waited for other threads or for
// input, and for whom they waited. Call it only if the GPU is not saturated. Waits at barriers are left out, because
// they count as imbalance. If threads submit for others (h), waits for requests and answers are left out too, because
// they count as single-submitter; only the clients' waits for input remain.
func FindStarvation(work *GPUWork, threadWaits *ThreadWaits, submitters *Submitters, blocked Blocked,
	barriers *Barriers, h *Delegation) (s Starvation) {
	waits := threadWaits.Merged
	stages := FindStages(work.trace, waits, submitters)
	s.Passings = stages.passings(work.trace)
	if h.Confirmed() {
		s.Inputs = FindInputs(work, submitters, h.Threads, &stages)
		return Starvation{Lost: s.Inputs.Lost, Outside: s.Inputs.Outside, Inputs: s.Inputs,
			When: unions(s.Inputs.When)}
	}
	s.Inputs = FindInputs(work, submitters, submitters.Submits, &stages)
	s.Lost, s.Outside = s.Inputs.Lost, s.Inputs.Outside
	sleepers := findSleepers(work.trace, waits)
	in := feedingInput{work, waits, submitters, blocked, barriers, &s.Inputs, &stages, sleepers}
	type key struct {
		thread  *analyze.Thread
		what    string
		timeout bool
	}
	var by Ordered[key, Producer]
	timedOut, missed := endedByTimeout(work.trace, waits, submitters.Submits), map[LockKey]bool{}
	places := map[LockKey]bool{}
	producers := findProducing(work.trace)
	for w := range analyze.Each(waits) {
		if !submitters.Submits[w.Thread] || !in.isProduced(w) {
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
		places[producerSite(w)] = true
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
		x := by.Of(key{w.Signaller, cmp.Or(w.Name, w.Selector), timedOut[w]})
		x.add(blocked, w, idle)
		if x.TimedOut = timedOut[w]; x.TimedOut {
			s.Timeouts.Waits++
			s.Timeouts.Idle += idle
			missed[producerSite(w)] = true
		}
		x.waits++
		x.asleep += Scaled(idle, Share(sleepers[w.Signaller].asleep(w.Interval), w.Length()))
		x.Woken = sleepers[w.Signaller].isWoken()
		s.Lost += idle
	}
	s.Timeouts.count(threadWaits, submitters.Submits, missed)
	s.When, s.At = in.waitsAt(places, &producers)
	s.Inputs.sort()
	s.Producers = by.All
	slices.SortStableFunc(s.Producers, func(x, y *Producer) int { return cmp.Compare(y.Idle, x.Idle) })
	if s.Server, s.Producers = servedBy(s.Producers, s.Lost, submitters.Time, sleepers); s.Server != nil {
		s.Lost -= s.Server.Idle
	}
	return s
}

// isProduced reports whether the wait w is for something that another thread produces or consumes, and the GPU does not
// delay that thread. Waits at barriers, for a delayed pipeline stage, or for a completion handler do not count.
func (in *feedingInput) isProduced(w *analyze.SignalWait) bool {
	return w.Thread != nil && !w.AcquirerReleased && w.Signaller != w.Thread &&
		(in.barriers == nil || !in.barriers.inside[w]) &&
		!in.stages.Signals(w)
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
		place := producerSite(w)
		if !places[place] || !in.isProduced(w) || in.inputs.awaitsOutside(w) {
			continue
		}
		unexplained := w.Interval
		if !in.submitters.Submits[w.Signaller] { // compilation and allocation by the producer have causes of their own
			unexplained.End = unexplained.Begin + producers.explain(w, w.Length(), &Upstream{})
		}
		if slept := in.sleepers[w.Signaller].asleep(unexplained); policy.MoreThan(policy.Majority, slept, w.Length()) {
			unexplained.End = unexplained.Begin + slept // its own work remains if it sleeps less
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
	i := w.Interval.Intersect(atWork(w.Thread))
	idle := i.Length()
	for _, d := range work.Devices {
		idle = min(idle, i.Length()-d.any.LengthWithin(i))
	}
	return min(idle, i.Length()-s.onGPU[w.Thread].LengthWithin(i))
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
