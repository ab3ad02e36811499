package evidence

import "mtrace/analyze"

// A Division tells how the threads of a trace used their time, and can divide each single wait into its parts.
// Exports and the timeline use a Division because it costs far less than Gather, which computes all evidence.
type Division struct {
	Trace       *analyze.Trace
	Work        *GPUWork
	ThreadWaits *ThreadWaits
	Delegation  *Delegation // nil if there is no single submitter
	Times       *ThreadTimes
}

// Divide computes how the threads of a trace used their time.
func Divide(t *analyze.Trace) *Division {
	d := newDivision(t)
	d.Times = DivideTime(d.Work, d.ThreadWaits, d.Delegation, nil)
	return d
}

// DivideRange is Divide for one of the consecutive time ranges of a run; Total.AddTimes adds up the ranges. Times
// leaves out waits for command buffers: the caller divides each of these waits itself, and they would count twice.
func DivideRange(t *analyze.Trace) *Division {
	d := newDivision(t)
	d.Times = timesToAdd(t, d.ThreadWaits, d.Delegation)
	return d
}

func newDivision(t *analyze.Trace) *Division {
	waits := FindThreadWaits(t)
	return &Division{Trace: t, Work: Locate(t), ThreadWaits: waits, Delegation: FindDelegation(t, waits.Merged)}
}
