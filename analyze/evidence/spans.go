package evidence

import "mtrace/analyze"

// spansOf is when a thread was inside calls that block, by kind.
type spansOf struct{ foreign, waits, locks, signals, compile, acquire *Busy }

// findSpans finds when each thread was inside calls that block.
func (ev *Evidence) findSpans() {
	type lists struct{ foreign, waits, locks, signals, compile, acquire []analyze.Interval }
	by := map[*analyze.Thread]*lists{}
	of := func(t *analyze.Thread) *lists {
		if by[t] == nil {
			by[t] = &lists{}
		}
		return by[t]
	}
	for i := range ev.Trace.Waits {
		w := &ev.Trace.Waits[i]
		l := of(w.Thread)
		if from := Awaited(w); from != nil && from != w.Thread {
			l.foreign = append(l.foreign, w.Interval)
		} else {
			l.waits = append(l.waits, w.Interval)
		}
	}
	for _, k := range ev.Trace.Locks {
		l := of(k.Thread)
		l.locks = append(l.locks, k.Interval)
	}
	for i := range ev.Trace.SignalWaits {
		w := &ev.Trace.SignalWaits[i]
		l := of(w.Thread)
		l.signals = append(l.signals, w.Interval)
	}
	for _, c := range ev.Trace.Compilations {
		l := of(c.Thread)
		l.compile = append(l.compile, c.Interval)
	}
	for _, c := range ev.FullQueue {
		l := of(c.Thread)
		l.acquire = append(l.acquire, c.Interval)
	}
	ev.spans = map[*analyze.Thread]*spansOf{}
	for t, l := range by {
		ev.spans[t] = &spansOf{NewBusy(l.foreign), NewBusy(l.waits), NewBusy(l.locks), NewBusy(l.signals), NewBusy(l.compile), NewBusy(l.acquire)}
	}
}
