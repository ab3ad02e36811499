package evidence

import (
	"mtrace/analyze"
)

// Outside divides a thread's time outside of Metal calls. Its known values add up to ThreadTime.Time[PartOutside]
// exactly.
type Outside struct {
	Running  analyze.Nanos // on a processor; NotKnown where no samples cover the time
	Runnable analyze.Nanos // waiting for a processor; NotKnown where the system does not tell
	Blocked  [analyze.BlockedKinds]analyze.Nanos
	// time off the processors in calls that are not recorded; if Running is not known, also the time on a processor
	Unknown analyze.Nanos
}

// Outside divides the thread's time outside of Metal calls. Recorded waits are known exactly. Samples show how long
// the thread ran, but not whether it ran in Metal. So the ratio of running to waiting for a processor is assumed to
// be the same in Metal calls and elsewhere.
func (t *ThreadTime) Outside() (o Outside) {
	all, blocked := t.Time[analyze.PartOutside], analyze.Nanos(0)
	for _, n := range t.Blocked {
		blocked += n
	}
	rest := all
	for kind, n := range t.Blocked {
		if blocked > all { // some of these waits count as compilation in child processes
			n = analyze.Nanos(float64(n) * Share(all, blocked))
		}
		n = min(n, rest)
		o.Blocked[kind], rest = n, rest-n
	}
	o.Running, o.Runnable = analyze.NotKnown, analyze.NotKnown
	if cpu := t.Thread.CPUIn(t.Thread.Active); cpu.Covered > 0 {
		share := t.shareOutside(cpu) * float64(t.ActiveRange) / float64(cpu.Covered)
		o.Running = min(rest, analyze.Nanos(float64(cpu.Ran)*share))
		if rest -= o.Running; cpu.Waited != analyze.NotKnown {
			o.Runnable = min(rest, analyze.Nanos(float64(cpu.Waited)*share))
			rest -= o.Runnable
		}
	}
	o.Unknown = rest
	return o
}

// shareOutside returns the share (0 to 1) of the thread's runnable time (on a processor or waiting for one) that was
// outside of Metal calls.
func (t *ThreadTime) shareOutside(cpu analyze.CPUTime) float64 {
	var metal analyze.Nanos
	for _, part := range []analyze.Part{analyze.PartEncode, analyze.PartCommit, analyze.PartAcquire, analyze.PartCompile,
		analyze.PartAllocate, analyze.PartOtherAPI} {
		metal += t.Time[part]
	}
	wanted := cpu.Ran + max(0, cpu.Waited)
	return 1 - min(1, Share(metal, wanted))
}

// countBlocked adds the threads' recorded waits outside of Metal to their times. It adds only waits for whose end the
// function `counts` returns true. A wait in two adjacent ranges of the trace is then counted once.
func (times *ThreadTimes) countBlocked(trace *analyze.Trace, waits *ThreadWaits, counts func(analyze.Nanos) bool) {
	for w := range analyze.Each(waits.Signals) {
		t := times.byThread[w.Thread]
		if t == nil || !counts(w.End) {
			continue
		}
		t.SignalWaits += w.Length()
		if w.ForProcess {
			t.Blocked[analyze.BlockedProcess] += w.Length()
		} else {
			t.Blocked[analyze.BlockedSignal] += w.Length()
		}
	}
	for w := range analyze.Each(trace.CPUWaits.Blocked) {
		if t := times.byThread[w.Thread]; t != nil && counts(w.End) {
			t.Blocked[w.Kind] += w.Length()
		}
	}
}
