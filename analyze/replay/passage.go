package replay

import "mtrace/analyze/evidence"

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
