package cause

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay"
)

// gains are what replays give without the waits for others' work, without locks, and without both.
type gains struct{ sync, locks, both float64 }

func (g gains) Without(c replay.Change) (*replay.Speedup, string) {
	s := map[[2]bool]float64{{true, false}: g.sync, {false, true}: g.locks, {true, true}: g.both}[[2]bool{c.Foreign, c.Locks}]
	return &replay.Speedup{Estimate: s, Low: s, High: s}, ""
}

// TestRoot: threads wait longest for their interpreter's lock, and less for everybody's work. Only if the lock costs next to nothing without those
// waits, and not the other way round, it is they that are the verdict.
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
		a := &Analysis{Evidence: &evidence.Evidence{Trace: &analyze.Trace{}, Total: 1000}, Verdict: Verdict{Cause: InterpreterLock, Causes: []Finding{
			{Cause: InterpreterLock, Holds: true, Lost: 500, Summary: "lock", Speedup: speedup(c.locks)},
			{Cause: DeviceWideSync, Holds: true, Lost: 200, Summary: "waits", Speedup: speedup(c.sync)}}}}
		a.findRoot(c.gains, map[string]replay.Change{InterpreterLock: {Locks: true}, DeviceWideSync: {Foreign: true}})
		v := a.Verdict
		if v.Cause != c.want || v.Causes[0].Cause != c.want || (v.Summary == "waits") != (c.want == DeviceWideSync) || len(v.Causes) != 2 {
			t.Errorf("%s: %s, want %s: %+v", name, v.Cause, c.want, v)
		}
	}
}
