package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// Stages tells which waits are for a pipeline stage that is itself delayed: a thread that submits GPU work and that
// waits, compiles or allocates for most of the wait. That stage's delay has its own cause, and other stages only wait
// for its items, or for room for theirs. A thread that submits and computes for most of the wait counts as a producer.
type Stages struct {
	submitters *Submitters
	signalled  SignalledInHandlers
	heldUp     map[*analyze.Thread]*Busy // when each thread was in any recorded wait, compiled or allocated
	others     map[inputKey][]*analyze.Thread
}

// An inputKey identifies what a thread waits for at a descriptor: its items, or room for more of them.
type inputKey struct {
	thread   *analyze.Thread
	name     string
	selector string
}

func inputOf(w *analyze.BlockedWait) inputKey { return inputKey{w.Thread, w.String(), w.Selector} }

// FindStages finds the threads at the other ends of the pipes and sockets at which submitting threads wait. A call that
// does not block is not recorded; but the other thread is never blocked at the instant when the waiting one wakes.
func FindStages(trace *analyze.Trace, waits []analyze.SignalWait, submitters *Submitters) Stages {
	s := Stages{submitters, FindSignalledInHandlers(trace), whenHeldUp(trace, waits), map[inputKey][]*analyze.Thread{}}
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
		// if the thread's process has both ends of the pipe, the pipe was inherited, and any process of the program may
		// have the other end
		inherited := list[0].What == wire.DescriptorOwnPipe
		for t := range submitters.steady {
			if (inherited || t.Process == process) && t != k.thread && isFreeAtEnds(s.heldUp[t], list) {
				s.others[k] = append(s.others[k], t)
			}
		}
	}
	return s
}

// isFreeAtEnds reports whether a thread was not in a wait at the ends of nearly all of these waits, so that it can have
// ended them.
func isFreeAtEnds(heldUp *Busy, waits []*analyze.BlockedWait) bool {
	free := 0
	for _, w := range waits {
		i := analyze.Interval{Begin: w.End - policy.Wakeup.Nanos(), End: w.End}
		if heldUp.Within(i) < i.Length() {
			free++
		}
	}
	return policy.NearlyAll(free, len(waits))
}

// whenHeldUp returns when each thread was in a recorded wait of any kind, compiled or allocated.
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

// Signals reports whether a wait was ended by a delayed stage, or by a completion handler.
func (s *Stages) Signals(w *analyze.SignalWait) bool {
	return s.submitters.steady[w.Signaller] && s.isHeldUp(w.Signaller, &w.Call) || s.signalled.Of(w) != nil
}

// Writes reports whether a wait at a descriptor is for a delayed stage.
func (s *Stages) Writes(w *analyze.BlockedWait) bool {
	for _, t := range s.others[inputOf(w)] {
		if s.isHeldUp(t, &w.Call) {
			return true
		}
	}
	return false
}

func (s *Stages) isHeldUp(t *analyze.Thread, during *analyze.Call) bool {
	return policy.MoreThan(policy.Most, s.heldUp[t].Within(during.Interval), during.Length())
}

// A Passing is a wait at a pipe or socket that one known stage ended, by an item or by room for one.
type Passing struct {
	Wait *analyze.BlockedWait
	By   *analyze.Thread
	At   analyze.Nanos // the estimated instant at which that thread wrote or read
}

// passings returns these waits. A wait that several stages may have ended is left out.
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
