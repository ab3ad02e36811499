package replay

import (
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// withoutVain joins waits for an interpreter's lock that follow each other at once into the one that got it. The mutex and the
// condition variable that the lock is made of are one lock.
func withoutVain(list []step) []step {
	kept := list[:0]
	for _, s := range list {
		if n := len(kept); n > 0 && s.forInterpreter() && kept[n-1].forInterpreter() && s.Begin-kept[n-1].End <= policy.AtOnce.Nanos() {
			s.Begin = kept[n-1].Begin
			s.cost = s.Length()
			kept[n-1] = s
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

func (s *step) forInterpreter() bool { return s.kind == opLock && s.wait.OfInterpreter() }

// findEntailed marks what hangs on needless waits among a thread's steps.
func findEntailed(list []step) {
	calls := make([]evidence.TimedCall, len(list))
	for i := range list {
		calls[i] = evidence.TimedCall{Interval: list[i].Interval, Kind: list[i].callKind()}
	}
	for _, p := range evidence.Passages(calls) {
		for i := p.After + 1; i <= p.Wait; i++ {
			list[i].hangs = p.Hangs
		}
	}
}

func (s *step) callKind() evidence.CallKind {
	switch {
	case s.kind == opForeign || s.kind == opWait && s.barrier:
		return evidence.CallNeedless
	case s.kind == opWait:
		return evidence.CallWait
	case s.kind == opLock:
		return evidence.CallLock
	}
	return evidence.CallOther
}
