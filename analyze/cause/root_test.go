package cause

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay"
)

// gains has the replayed gains without waits for other threads' work, without locks, and without both.
type gains struct{ sync, locks, both float64 }

func (g gains) Without(c replay.Change) (*replay.Speedup, string) {
	s := map[[2]bool]float64{{true, false}: g.sync, {false, true}: g.locks, {true, true}: g.both}[[2]bool{c.CrossThread,
		c.Locks}]
	return &replay.Speedup{Estimate: s, Low: s, High: s}, ""
}

func (g gains) WaitsLeft(replay.Change) (float64, bool) { return 0, false }

// TestRoot: threads wait longest for the GIL, and less for all threads' work. Those waits are the verdict only if the
// lock costs next to nothing without them, and not the other way round.
func TestRoot(t *testing.T) {
	for name, c := range map[string]struct {
		gains
		want string
	}{
		"the lock hangs on the waits":    {gains{3, 1.3, 3.05}, DeviceWideSync},
		"each costs what it costs":       {gains{1.5, 1.6, 2.4}, InterpreterLock},
		"each hides the other":           {gains{1.1, 1.1, 3}, InterpreterLock},
		"either alone brings all":        {gains{1.6, 1.6, 1.65}, InterpreterLock},
		"the waits hang on the lock":     {gains{1.3, 3, 3.05}, InterpreterLock},
		"the lock brings nothing itself": {gains{1.5, 1.01, 1.5}, InterpreterLock},
	} {
		speedup := func(s float64) *replay.Speedup { return &replay.Speedup{Estimate: s, Low: s, High: s} }
		a := &Analysis{Evidence: &evidence.Evidence{Trace: &analyze.Trace{}, Submitters: evidence.Submitters{Time: 1000}},
			Verdict: Verdict{Cause: InterpreterLock, Causes: []Finding{
				{Cause: InterpreterLock, Present: true, Lost: 500, Summary: "lock", Speedup: speedup(c.locks)},
				{Cause: DeviceWideSync, Present: true, Lost: 200, Summary: "waits", Speedup: speedup(c.sync)}}}}
		a.findRoot(c.gains, map[string]replay.Change{InterpreterLock: {Locks: true}, DeviceWideSync: {CrossThread: true}})
		v := a.Verdict
		if v.Cause != c.want || v.Causes[0].Cause != c.want || (v.Summary == "waits") != (c.want == DeviceWideSync) ||
			len(v.Causes) != 2 {
			t.Errorf("%s: %s, want %s: %+v", name, v.Cause, c.want, v)
		}
	}
}

// left is the share of the threads' waits for each other that is left without a compilation.
type left float64

func (left) Without(replay.Change) (*replay.Speedup, string) { return nil, "" }

func (l left) WaitsLeft(replay.Change) (float64, bool) { return float64(l), l >= 0 }

// TestWaitsFor: threads wait for each other at a barrier because one compiles. Compilation is the verdict if most of
// the waits disappear without it, and the run gains at least as much.
func TestWaitsFor(t *testing.T) {
	for name, c := range map[string]struct {
		left               left
		imbalance, compile float64
		want               string
	}{
		"most waits go":               {0.1, 2, 3, CompileBound},
		"most stay":                   {0.8, 2, 3, Imbalance},
		"sharing the work helps more": {0.1, 3, 2, Imbalance},
		"it is not known":             {-1, 2, 3, Imbalance},
	} {
		speedup := func(s float64) *replay.Speedup { return &replay.Speedup{Estimate: s, Low: s, High: s} }
		a := &Analysis{Evidence: &evidence.Evidence{Trace: &analyze.Trace{}, Submitters: evidence.Submitters{Time: 1000}},
			Verdict: Verdict{Cause: Imbalance,
				Causes: []Finding{
					{Cause: Imbalance, Present: true, Lost: 500, Summary: "barrier", Speedup: speedup(c.imbalance)},
					{Cause: CompileBound, Present: true, Lost: 200, Summary: "compilation", Speedup: speedup(c.compile)}}}}
		a.findRoot(c.left, map[string]replay.Change{CompileBound: {Compile: true}})
		if v := a.Verdict; v.Cause != c.want || v.Causes[0].Cause != c.want {
			t.Errorf("%s: %s, want %s", name, v.Cause, c.want)
		}
	}
}

// TestWorkOnProcessors: six threads copied into new buffers on two processors. The report said cpu-bound and advised
// fewer threads, although without the allocation threads would not have lacked processors (measured: 2.93x faster).
func TestWorkOnProcessors(t *testing.T) {
	speedup := func(least, s, most float64) *replay.Speedup {
		return &replay.Speedup{Estimate: s, Low: least, High: most}
	}
	changes := map[string]replay.Change{CPUBound: {Cores: true}, AllocationBound: {Allocate: true},
		CompileBound: {Compile: true}, LockContention: {Locks: true}}
	for name, c := range map[string]struct {
		fault string
		gain  *replay.Speedup
		also  *replay.Speedup // of compilation
		want  string
	}{
		"allocation gains as much":   {AllocationBound, speedup(1.8, 2.2, 2.6), nil, AllocationBound},
		"allocation gains more":      {AllocationBound, speedup(1.9, 3, 4), nil, AllocationBound},
		"allocation gains less":      {AllocationBound, speedup(1.3, 1.5, 1.7), nil, CPUBound},
		"compilation gains most":     {AllocationBound, speedup(1.8, 2.2, 2.6), speedup(1.8, 2.3, 2.8), CompileBound},
		"waiting takes no processor": {LockContention, speedup(1.8, 2.2, 2.6), nil, CPUBound},
		"its gain is not proven":     {AllocationBound, speedup(0.9, 2.2, 2.6), nil, CPUBound},
	} {
		v := Verdict{Cause: CPUBound, Causes: []Finding{
			{Cause: CPUBound, Present: true, Lost: 400, Speedup: speedup(2, 2.35, 2.7)},
			{Cause: c.fault, Present: true, Lost: 300, Speedup: c.gain}}}
		if c.also != nil {
			v.Causes = append(v.Causes, Finding{Cause: CompileBound, Present: true, Lost: 300, Speedup: c.also})
		}
		a := &Analysis{Verdict: v, Evidence: &evidence.Evidence{Trace: &analyze.Trace{},
			Submitters: evidence.Submitters{Time: 1000}}}
		a.findRoot(left(-1), changes)
		if a.Verdict.Cause != c.want {
			t.Errorf("%s: %s, want %s", name, a.Verdict.Cause, c.want)
		}
	}
}
