package evidence

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// TakingTurns is the evidence that threads use the GPU one after the other.
type TakingTurns struct {
	Exclusion *Exclusion
	Coverage  float64 // share of the time in which one of them has its turn
	Starved   bool    // Coverage is not nearly 1, because the thread whose turn it is lacks a processor
	Lost      analyze.Nanos
}

// Turns tells whether threads take turns at using the GPU.
type Turns struct {
	// Threads never wait for the GPU at the same time, although nearly always one of them does and the GPU has spare
	// capacity. Each continues when the previous one has finished waiting, as if it held a lock during the wait. If
	// threads avoid each other only by chance, there are gaps between their waits. There are also gaps if the thread
	// whose turn it is lacks a processor. Waits is nil if threads do not take turns.
	Waits *TakingTurns
	// The same for round trips. If processors are scarce, a thread that holds a lock may lack one before it waits for
	// the GPU, so that there are gaps between the waits.
	RoundTrips *TakingTurns

	trace *analyze.Trace
}

// turnsInput has the inputs for determining whether threads take turns.
type turnsInput struct {
	trace      *analyze.Trace
	times      *ThreadTimes
	submitters *Submitters
	tests      *Tests
	processors *Processors
	full       bool // the GPU has no spare capacity
}

// FindTurns finds out whether threads take turns.
func FindTurns(trace *analyze.Trace, times *ThreadTimes, submitters *Submitters, tests *Tests, processors *Processors,
	occupancy *Occupancy) Turns {
	in := turnsInput{trace, times, submitters, tests, processors,
		occupancy.Pending > policy.WorthNaming.Value && !occupancy.HasRoom}
	return Turns{in.find("waits", longWaits), in.find("round trips", roundTripsByThread), trace}
}

func (in turnsInput) find(what string, find func(*analyze.Trace) map[*analyze.Thread][]analyze.Interval) *TakingTurns {
	i := slices.IndexFunc(in.tests.Exclusion, func(e Exclusion) bool { return e.What == what })
	if i < 0 {
		return nil
	}
	x := &in.tests.Exclusion[i]
	if !policy.NearlyAll(x.Index, 1) || x.QValue > policy.FalseDiscovery.Value || in.full {
		return nil
	}
	by := find(in.trace)
	any := unionOf(by)
	spans := any.Spans()
	t := &TakingTurns{Exclusion: x, Coverage: Share(any.Total(), spans[len(spans)-1].End-spans[0].Begin)}
	if t.Starved = !policy.NearlyAll(t.Coverage, 1); t.Starved && !(in.processors.Starved() &&
		in.processors.runsOutside(in.times)) {
		return nil
	}
	for _, th := range in.submitters.Taking {
		if th.CommandBuffers > 0 {
			t.Lost += min(betweenTurns(by[th.Thread], any), th.WorkTime[analyze.PartOutside])
		}
	}
	if in.submitters.Share(t.Lost) < policy.ChanceShare.Value {
		return nil
	}
	return t
}

// betweenTurns returns how long a thread was kept from its next turn: the time between its turns, minus what the thread
// does itself in between. The latter is estimated by the shortest times between two turns in which no thread had its
// turn.
func betweenTurns(own []analyze.Interval, any *Busy) (lost analyze.Nanos) {
	var between, free []analyze.Nanos
	for i := 1; i < len(own); i++ {
		b := analyze.Interval{Begin: own[i-1].End, End: own[i].Begin}
		between, free = append(between, b.Length()), append(free, b.Length()-any.Within(b))
	}
	itself := Quickest(free, policy.Quick)
	for _, n := range between {
		lost += max(0, n-itself)
	}
	return lost
}

// InterpreterWaits counts the waits for the GPU by whether the thread held its interpreter's lock when it began to
// wait.
type InterpreterWaits struct {
	Held, Free int
	HeldFor    analyze.Nanos
}

// InterpreterWaitsOf counts these waits in a trace.
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

// TurnsAreInterpreters reports whether the lock at which threads take turns is their interpreter's. That is so if the
// threads are known to hold that lock while they wait for the GPU. If that is not known, it is so in an
// interpreter whose own lock has no waits in the trace: recorded waits for it would show that the turns' lock is
// another.
func TurnsAreInterpreters(trace *analyze.Trace, locks []analyze.LockWait, oneAtATime bool) bool {
	if w := InterpreterWaitsOf(trace); w.Held+w.Free > 0 {
		return w.Held >= w.Free
	}
	return oneAtATime && !slices.ContainsFunc(locks,
		func(l analyze.LockWait) bool { return l.OfInterpreter() })
}

// KeptInterpreter returns how long threads that take part waited for an interpreter's lock while its holder waited for
// something else.
func KeptInterpreter(submitters *Submitters, locks []analyze.LockWait) (kept analyze.Nanos) {
	for l := range analyze.Each(locks) {
		if submitters.TakesPart[l.Thread] && l.OfInterpreter() {
			kept += l.Kept
		}
	}
	return kept
}
