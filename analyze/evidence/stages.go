package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// Stages says which waits are for a stage of a pipeline that is held up itself: a thread that submits GPU work, and that
// waits or compiles for most of the wait. What holds it up has a cause of its own, and the stages after it wait for
// that. A thread that submits and computes for most of the wait is a producer like any other.
type Stages struct {
	submitters *Submitters
	signalled  SignalledInHandlers
	heldUp     map[*analyze.Thread]*Busy // when each thread waited, in any recorded call, or compiled
	writers    map[inputKey][]*analyze.Thread
}

// An inputKey names a descriptor that a thread waits at.
type inputKey struct {
	reader *analyze.Thread
	name   string
}

// FindStages finds the writers of the pipes and sockets at which submitting threads wait. A write that does not block
// is not recorded, but the writer is never blocked when its reader wakes.
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
		// a pipe whose writing end the reader has, too, was inherited: any process of the program may write
		inherited := list[0].What == wire.DescriptorOwnPipe
		for t := range submitters.Submits {
			if (inherited || t.Process == process) && t != k.reader && isFreeAtEnds(s.heldUp[t], list) {
				s.writers[k] = append(s.writers[k], t)
			}
		}
	}
	return s
}

// isFreeAtEnds says whether a thread, by when it waits itself, can have ended nearly all waits.
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

// whenHeldUp is when each thread was in a recorded wait, of any kind, or compiled.
func whenHeldUp(trace *analyze.Trace, waits []analyze.SignalWait) map[*analyze.Thread]*Busy {
	by := map[*analyze.Thread][]analyze.Interval{}
	add := func(c *analyze.Call) { by[c.Thread] = append(by[c.Thread], c.Interval) }
	for w := range analyze.Each(waits) {
		add(&w.Call)
	}
	for w := range analyze.Each(trace.CPUWaits.Blocked) {
		if w.Kind != analyze.BlockedSleep { // another device may work for it meanwhile
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

// Signals says whether a wait was ended by a stage that was held up itself, or by a completion handler.
func (s *Stages) Signals(w *analyze.SignalWait) bool {
	return s.submitters.Submits[w.Signaller] && s.isHeldUp(w.Signaller, &w.Call) || s.signalled.Of(w) != nil
}

// Writes says whether a wait at a descriptor is for a stage that was held up itself.
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
