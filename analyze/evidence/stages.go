package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// Stages tells which waits are for a pipeline stage that is itself delayed: a thread that submits GPU work and that
// waits or compiles for most of the wait. That stage's delay has its own cause, and later stages only wait for it. A
// thread that submits and computes for most of the wait counts as a producer.
type Stages struct {
	submitters *Submitters
	signalled  SignalledInHandlers
	heldUp     map[*analyze.Thread]*Busy // when each thread was in any recorded wait, or compiled
	writers    map[inputKey][]*analyze.Thread
}

// An inputKey identifies a descriptor that a thread waits at.
type inputKey struct {
	reader *analyze.Thread
	name   string
}

// FindStages finds the threads that write to the pipes and sockets at which submitting threads wait. A write that does
// not block is not recorded; but the writer is never blocked at the instant when its reader wakes.
func FindStages(trace *analyze.Trace, waits []analyze.SignalWait, submitters *Submitters) Stages {
	s := Stages{submitters, FindSignalledInHandlers(trace), whenHeldUp(trace, waits), map[inputKey][]*analyze.Thread{}}
	ends := map[inputKey][]*analyze.BlockedWait{}
	for w := range analyze.Each(trace.CPUWaits.Blocked) {
		if submitters.Submits[w.Thread] && (w.Kind == analyze.BlockedPipe || w.Kind == analyze.BlockedSocket) {
			k := inputKey{w.Thread, w.String()}
			ends[k] = append(ends[k], w)
		}
	}
	for k, list := range ends {
		process := k.reader.Process
		if list[0].Writer != nil {
			process = list[0].Writer
		}
		// if the reader has the pipe's writing end too, the pipe was inherited, and any process of the program may
		// write to it
		inherited := list[0].What == wire.DescriptorOwnPipe
		for t := range submitters.Submits {
			if (inherited || t.Process == process) && t != k.reader && isFreeAtEnds(s.heldUp[t], list) {
				s.writers[k] = append(s.writers[k], t)
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

// whenHeldUp returns when each thread was in a recorded wait of any kind, or compiled.
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
	return unions(by)
}

// Signals reports whether a wait was ended by a delayed stage, or by a completion handler.
func (s *Stages) Signals(w *analyze.SignalWait) bool {
	return s.submitters.Submits[w.Signaller] && s.isHeldUp(w.Signaller, &w.Call) || s.signalled.Of(w) != nil
}

// Writes reports whether a wait at a descriptor is for a delayed stage.
func (s *Stages) Writes(w *analyze.BlockedWait) bool {
	for _, t := range s.writers[inputKey{w.Thread, w.String()}] {
		if s.isHeldUp(t, &w.Call) {
			return true
		}
	}
	return false
}

func (s *Stages) isHeldUp(t *analyze.Thread, during *analyze.Call) bool {
	return policy.MoreThan(policy.Most, s.heldUp[t].Within(during.Interval), during.Length())
}
