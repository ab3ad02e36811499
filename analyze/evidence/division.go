package evidence

import "mtrace/analyze"

// A Division has the threads' use of time in a trace, and the data for dividing their waits. It is cheap to compute and
// intended for outputs.
type Division struct {
	Trace       *analyze.Trace
	Work        *GPUWork
	ThreadWaits *ThreadWaits
	Handover    *Handover // nil if there is no single submitter
	Times       *ThreadTimes
}

// Divide divides the threads' time in a trace.
func Divide(t *analyze.Trace) *Division {
	d := newDivision(t)
	d.Times = DivideTime(d.Work, d.ThreadWaits, d.Handover, nil)
	return d
}

// DivideRange is Divide for one of the ranges of a run. Its Times do not include waits for command buffers, because an
// output that writes ranges divides each wait itself. Total.AddTimes adds them up.
func DivideRange(t *analyze.Trace) *Division {
	d := newDivision(t)
	d.Times = timesToAdd(t, d.ThreadWaits, d.Handover)
	return d
}

func newDivision(t *analyze.Trace) *Division {
	waits := FindThreadWaits(t)
	return &Division{Trace: t, Work: Locate(t), ThreadWaits: waits, Handover: FindHandover(t, waits.Merged)}
}
