// Package evidence finds out from a trace how threads delay each other: how each spent its time, which thread waited
// for which, and what the GPU did. Each question has a type and a function, which receives its inputs as parameters.
// The package does not decide on causes. docs/terms.md defines the terms.
package evidence

import (
	"sync"

	"mtrace/analyze"
)

// Evidence is all that the analysis derives from a trace. Gather fills it; it is not changed afterwards.
type Evidence struct {
	Trace       *analyze.Trace
	Work        *GPUWork
	ThreadWaits ThreadWaits
	Delegation  *Delegation // nil if no thread, and no pool of threads, submits nearly all work
	Completions Completions
	Queues      QueueUses
	Times       ThreadTimes
	Blocked     Blocked
	Matrices    Matrices
	Releases    *Releases
	Lines       Lines
	GPU         GPU
	Tests       Tests
	Submitters  Submitters
	Occupancy   Occupancy
	Processors  Processors
	Execution   Execution
	Turns       Turns
	External    ExternalLoad
	Syncs       Syncs
	Barriers    *Barriers // nil if there are none
	Starvation  Starvation
	OwnWork     *Interference // whether threads slow each other down outside of Metal; nil if that cannot be tested
	Launch      Launch
	Polling     Polling
}

// Gather computes all evidence of a trace. The order of its steps matters, because each step uses the fields that
// earlier steps have filled.
func Gather(t *analyze.Trace, opts Options) *Evidence {
	ev := &Evidence{Trace: t, Work: Locate(t), ThreadWaits: *FindThreadWaits(t), Completions: FindCompletions(t)}
	locks, signals := ev.ThreadWaits.Locks, ev.ThreadWaits.Merged
	// these take a fourth of the time and need only the trace, so they are computed meanwhile
	var ofTrace sync.WaitGroup
	var kernelWaits []KernelWait
	ofTrace.Go(func() { ev.Tests, kernelWaits = RunTests(t, opts), KernelWaits(t) })
	ev.Delegation = FindDelegation(t, signals)
	ev.Queues = *CountInFlight(t, ev.Completions)
	ev.Times = *DivideTime(ev.Work, &ev.ThreadWaits, ev.Delegation, &ev.Queues)
	ev.Blocked = FindBlocked(t, &ev.ThreadWaits, ev.Queues.Full)
	ev.Matrices = WhoWaitsForWhom(ev.Work, &ev.Times, ev.Delegation, locks)

	measured := MeasureGPU(ev.Work, ev.Blocked)
	ev.Releases = FindReleases(ev.Work)
	ev.Lines = *FindLines(ev.Work, ev.Releases, &measured)
	ev.GPU = AddLoad(measured, ev.Work, ev.Releases, &ev.Lines)
	ofTrace.Wait()
	ev.Submitters = *FindSubmitters(t, &ev.Times, ev.Blocked, ev.Completions)
	ev.Occupancy = FindOccupancy(ev.Work, &ev.GPU, &ev.Lines)
	ev.Processors = UseOfProcessors(t, &ev.Submitters)
	ev.Turns = FindTurns(t, &ev.Times, &ev.Submitters, &ev.Tests, &ev.Processors, &ev.Occupancy, signals)
	ev.Execution = TimeOfExecution(ev.Work, &ev.Times, &ev.Submitters, ev.Delegation, signals, kernelWaits,
		ev.Turns.Passed)
	ev.Execution.Display = FindDisplay(t)
	ev.External = FindExternalLoad(ev.Work, ev.Releases, &ev.Occupancy, &ev.Submitters)
	var handlers []HandlerWait
	if !ev.Delegation.Confirmed() { // else the signals are the submitter's replies
		handlers = FindHandlerWaits(t, signals)
		ev.Matrices.addHandlerWaits(handlers)
	}
	ev.Syncs = FindSyncs(ev.Work, locks, handlers, ev.Blocked, ev.Submitters.Committers)
	ev.Barriers = FindBarriers(ev.Work, signals, &ev.Submitters, ev.Delegation)
	if !ev.Occupancy.Saturated {
		ev.Starvation = FindStarvation(ev.Work, &ev.ThreadWaits, &ev.Submitters, ev.Blocked, ev.Barriers, ev.Delegation)
	}
	ev.OwnWork = InterferenceOfOwnWork(t, &ev.Times, &ev.Submitters, ev.Blocked, &ev.Processors, opts)
	ev.Polling = FindPolling(t)
	ev.Launch = TypicalLaunch(ev.Work, ev.Releases, ev.Tests.SoloCommit(), &ev.External)
	return ev
}

// AssumeSaturated returns the evidence as it would be if the GPU were the limit: threads count as waiting for the
// GPU, even where the trace shows another wait first. The cause rules use it to see whether the GPU would be the next
// limit.
func AssumeSaturated(ev Evidence) *Evidence {
	ev.Occupancy.Saturated, ev.Starvation = true, Starvation{}
	return &ev
}

// Totals returns the part of the evidence that can be added up over the time ranges of a run.
func (ev *Evidence) Totals() *Totals {
	return &Totals{Trace: ev.Trace, Times: &ev.Times, Queues: ev.Queues.All, Matrices: ev.Matrices, GPU: ev.GPU}
}
