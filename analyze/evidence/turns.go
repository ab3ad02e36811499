package evidence

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// TakingTurns is the evidence that threads run mutually exclusively: each uses the GPU only when no other does.
type TakingTurns struct {
	Exclusion *Exclusion
	Coverage  float64 // share (0 to 1) of the time in which one of the threads has its turn
	Starved   bool    // Coverage is not nearly 1, because the thread whose turn it is lacks a processor
	Lost      analyze.Nanos
}

// Turns tells whether threads take turns at using the GPU, as if they shared a lock that is not in the trace.
type Turns struct {
	// Evidence from waits for the GPU; nil if threads do not take turns. They do if two threads never wait at the same
	// time, although nearly always one thread waits and the GPU has spare capacity. Threads that avoid each other by
	// chance leave gaps between the waits. Gaps therefore count against turns, unless processors are scarce.
	Waits *TakingTurns
	// Evidence that threads take turns, from whole round trips (creation of a command buffer to the end of the wait);
	// nil if they do not. If processors are scarce, the thread whose turn it is may lack one before it waits, which
	// leaves gaps between waits but not between round trips.
	RoundTrips *TakingTurns
	// The task that threads pass to each other by signals; nil if there is none. Then Waits and RoundTrips are nil,
	// because the signals, and not a lock, make the threads take turns.
	Passed *PassedTask

	trace *analyze.Trace
}

// turnsInput has the inputs for determining whether threads take turns.
type turnsInput struct {
	trace      *analyze.Trace
	times      *ThreadTimes
	submitters *Submitters
	tests      *Tests
	processors *Processors
	signals    []analyze.SignalWait // ThreadWaits.Merged
	full       bool                 // the GPU has no spare capacity
}

// FindTurns finds out whether threads take turns at using the GPU, so that one waits for the other although the GPU
// has spare capacity.
func FindTurns(trace *analyze.Trace, times *ThreadTimes, submitters *Submitters, tests *Tests, processors *Processors,
	occupancy *Occupancy, signals []analyze.SignalWait) Turns {
	in := turnsInput{trace, times, submitters, tests, processors, signals,
		occupancy.Pending > policy.WorthNaming.Value && !occupancy.HasSpareCapacity}
	t := Turns{trace: trace}
	if t.Waits, t.Passed = in.find("waits", longWaits); t.Passed == nil {
		t.RoundTrips, t.Passed = in.find("round trips", roundTripsByThread)
	}
	if t.Passed != nil {
		t.Waits = nil
	}
	return t
}

// find returns the evidence that threads take turns, or the task that they pass to each other; nil if they do not.
func (in turnsInput) find(what string, find func(*analyze.Trace) map[*analyze.Thread][]analyze.Interval) (
	*TakingTurns, *PassedTask) {
	i := slices.IndexFunc(in.tests.Exclusion, func(e Exclusion) bool { return e.What == what })
	if i < 0 {
		return nil, nil
	}
	x := &in.tests.Exclusion[i]
	if !policy.NearlyAll(x.Index, 1) || x.QValue > policy.FalseDiscovery.Value || in.full {
		return nil, nil
	}
	by := find(in.trace)
	any := unionOf(by)
	spans := any.Spans()
	t := &TakingTurns{Exclusion: x, Coverage: Share(any.Total(), spans[len(spans)-1].End-spans[0].Begin)}
	if t.Starved = !policy.NearlyAll(t.Coverage, 1); t.Starved && !(in.processors.Starved() &&
		in.processors.runsOutside(in.times)) {
		return nil, nil
	}
	for _, th := range in.submitters.Taking {
		if th.CommandBuffers > 0 {
			t.Lost += min(betweenTurns(by[th.Thread], any), th.WorkTime[analyze.PartOutside])
		}
	}
	if in.submitters.Share(t.Lost) < policy.ChanceShare.Value {
		return nil, nil
	}
	if p := findPassedTask(t.Lost, by, in.signals); p != nil {
		return nil, p
	}
	return t, nil
}

// betweenTurns returns the total time that a thread had to wait for its next turns at the GPU: the time between its
// turns (own), minus its own work in between. The trace does not record that work. It is estimated from the times
// between turns, without the times in which another thread had a turn (any), as their fastest tenth.
func betweenTurns(own []analyze.Interval, any *Busy) (lost analyze.Nanos) {
	var between, free []analyze.Nanos
	for i := 1; i < len(own); i++ {
		b := analyze.Interval{Begin: own[i-1].End, End: own[i].Begin}
		between, free = append(between, b.Length()), append(free, b.Length()-any.LengthWithin(b))
	}
	itself := Quickest(free, policy.FastestDivisor)
	for _, n := range between {
		lost += max(0, n-itself)
	}
	return lost
}

// InterpreterWaits counts the waits for the GPU by whether the waiting thread held its interpreter's lock (GIL) when
// the wait began. Holding it blocks all other Python threads.
type InterpreterWaits struct {
	Held, Free int
	HeldFor    analyze.Nanos
}

// InterpreterWaitsOf counts the waits for the GPU in which threads held, or had released, their interpreter's lock.
func InterpreterWaitsOf(t *analyze.Trace) (w InterpreterWaits) {
	for wait := range analyze.Each(t.Waits) {
		switch wait.Interpreter {
		case analyze.InterpreterHeld:
			w.Held++
			w.HeldFor += wait.Length()
		case analyze.InterpreterFree:
			w.Free++
		}
	}
	return w
}

// TurnsAreInterpreters reports whether the lock at which threads take turns is their interpreter's lock (GIL). If the
// trace records for waits for the GPU whether the GIL was held, these records decide. Otherwise it assumes so for an
// interpreter that runs one thread at a time, unless the trace has waits for the GIL, which would show the turns.
func TurnsAreInterpreters(trace *analyze.Trace, locks []analyze.LockWait, oneAtATime bool) bool {
	if w := InterpreterWaitsOf(trace); w.Held+w.Free > 0 {
		return w.Held >= w.Free
	}
	return oneAtATime && !slices.ContainsFunc(locks,
		func(l analyze.LockWait) bool { return l.OfInterpreter() })
}

// KeptInterpreter returns how long the threads that take part waited for an interpreter's lock while its holder,
// instead of releasing it, waited for something else.
func KeptInterpreter(submitters *Submitters, locks []analyze.LockWait) (kept analyze.Nanos) {
	for l := range analyze.Each(locks) {
		if submitters.Participants[l.Thread] && l.OfInterpreter() {
			kept += l.HolderWaiting
		}
	}
	return kept
}
