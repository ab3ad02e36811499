package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// Stages tells which waits are for a delayed pipeline stage: a thread that submits GPU work and that itself waits,
// compiles or allocates for most of the wait. The stage's delay is reported as its own cause, so waits of other
// stages for it must not be reported again. A thread that submits but computes for most of the wait counts as a
// producer instead.
type Stages struct {
	submitters *Submitters
	signalled  SignalledInHandlers
	heldUp     map[*analyze.Thread]*Busy // when each thread was in any recorded wait, compiled or allocated
	others     map[inputKey][]*analyze.Thread
	watchers   Watchers
}

// An inputKey identifies a pipe or socket and the call (selector) with which a thread waits there: for items to read,
// or for space to write more.
type inputKey struct {
	thread   *analyze.Thread
	name     string
	selector string
}

func inputOf(w *analyze.BlockedWait) inputKey { return inputKey{w.Thread, w.String(), w.Selector} }

// FindStages finds the threads at the other ends of the pipes and sockets at which submitting threads wait. The trace
// has no call of the other end if that call does not block. FindStages finds that thread by elimination: a thread
// that ends the waits cannot itself be blocked when they end.
func FindStages(trace *analyze.Trace, waits []analyze.SignalWait, submitters *Submitters) Stages {
	s := Stages{submitters, FindSignalledInHandlers(trace), whenHeldUp(trace, waits), map[inputKey][]*analyze.Thread{},
		FindWatchers(trace)}
	ends := map[inputKey][]*analyze.BlockedWait{}
	for w := range analyze.Each(trace.CPUWaits.Blocked) {
		if submitters.steady[w.Thread] && (w.Kind == analyze.BlockedPipe || w.Kind == analyze.BlockedSocket) {
			ends[inputOf(w)] = append(ends[inputOf(w)], w)
		}
	}
	for k, list := range ends {
		process := k.thread.Process
		if list[0].Writer != nil {
			process = list[0].Writer
		}
		// if the process has both ends of the pipe itself, the pipe was inherited by fork, so a thread of any process
		// may be at the other end
		inherited := list[0].What == wire.DescriptorOwnPipe
		for t := range submitters.steady {
			if (inherited || t.Process == process) && t != k.thread && isFreeAtEnds(s.heldUp[t], list) {
				s.others[k] = append(s.others[k], t)
			}
		}
	}
	return s
}

// isFreeAtEnds reports whether a thread can have ended these waits: it was not blocked when nearly all of them ended.
// `heldUp` has the times in which the thread was blocked.
func isFreeAtEnds(heldUp *Busy, waits []*analyze.BlockedWait) bool {
	free := 0
	for _, w := range waits {
		i := analyze.Interval{Begin: w.End - policy.LongestWakeup.Nanos(), End: w.End}
		if heldUp.LengthWithin(i) < i.Length() {
			free++
		}
	}
	return policy.NearlyAll(free, len(waits))
}

// whenHeldUp returns when each thread was delayed: it was in a recorded wait of any kind but sleep, compiled or
// allocated.
func whenHeldUp(trace *analyze.Trace, waits []analyze.SignalWait) map[*analyze.Thread]*Busy {
	by := map[*analyze.Thread][]analyze.Interval{}
	add := func(c *analyze.Call) { by[c.Thread] = append(by[c.Thread], c.Interval) }
	for w := range analyze.Each(waits) {
		add(&w.Call)
	}
	for w := range analyze.Each(trace.CPUWaits.Blocked) {
		if w.Kind != analyze.BlockedSleep { // during a sleep, another device may work for the thread
			add(&w.Call)
		}
	}
	for w := range analyze.Each(trace.Waits) {
		add(&w.Call)
	}
	for c := range analyze.Each(trace.Compilations) {
		add(&c.Call)
	}
	for a := range analyze.Each(trace.Memory.Allocations) {
		by[a.Thread] = append(by[a.Thread], analyze.Interval{Begin: a.At, End: a.At + a.Took})
	}
	return unions(by)
}

// Signals reports whether the signal that ended the wait w came from a delayed pipeline stage, a completion handler or
// a thread that waited for the command buffers of w's thread. The wait then has a cause that is reported elsewhere.
func (s *Stages) Signals(w *analyze.SignalWait) bool {
	return s.submitters.steady[w.Signaller] && s.isHeldUp(w.Signaller, &w.Call) || s.signalled.Of(w) != nil ||
		s.watchers.Signal(w)
}

// Writes reports whether the wait w at a pipe or socket is for a delayed thread: the thread at the other end was
// delayed for most of w.
func (s *Stages) Writes(w *analyze.BlockedWait) bool {
	for _, t := range s.others[inputOf(w)] {
		if s.isHeldUp(t, &w.Call) {
			return true
		}
	}
	return false
}

func (s *Stages) isHeldUp(t *analyze.Thread, during *analyze.Call) bool {
	return policy.MoreThan(policy.Majority, s.heldUp[t].LengthWithin(during.Interval), during.Length())
}

// A Passing is a wait at a pipe or socket between two stages of a pipeline, which one known stage ended by writing an
// item or by reading one.
type Passing struct {
	Wait *analyze.BlockedWait
	By   *analyze.Thread
	At   analyze.Nanos // the estimated instant at which that thread wrote or read
}

// passings returns the waits at pipes and sockets that exactly one pipeline stage can have ended.
func (s *Stages) passings(trace *analyze.Trace) (list []Passing) {
	for w := range analyze.Each(trace.CPUWaits.Blocked) {
		others := s.others[inputOf(w)]
		if len(others) != 1 {
			continue
		}
		if at := s.heldUp[others[0]].lastFree(w.End - 1); at > w.Begin {
			list = append(list, Passing{w, others[0], at})
		}
	}
	return list
}
