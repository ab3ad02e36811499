package change

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/replay/program"
)

// TestDelaysThatSleep: a delay that sleeps makes the gap before a call longer by time that needs no processor; one that
// spins needs it.
func TestDelaysThatSleep(t *testing.T) {
	for _, c := range []struct {
		at     DelayPoint
		kind   program.Kind
		sleeps bool
		asleep analyze.Nanos
	}{
		{BeforeCommit, program.Commit, true, 30}, {BeforeCommit, program.Commit, false, 20},
		{BeforeAcquire, program.Acquire, true, 30}, {BeforeCompile, program.Compile, true, 30},
		{BeforeCompile, program.Compile, false, 20},
	} {
		p := &program.Program{Jobs: make([]program.Job, 1), Threads: []program.Thread{{
			Steps: []program.Step{{Kind: c.kind, Gap: 100, Asleep: 20}}, Details: make([]program.Detail, 1)}}}
		a := Added{At: c.at, By: 10, Sleeps: c.sleeps}
		a.apply(p)
		if s := p.Threads[0].Steps[0]; s.Gap != 110 || s.Asleep != c.asleep {
			t.Errorf("%+v: the gap is %d, %d of it asleep, want 110 and %d", a, s.Gap, s.Asleep, c.asleep)
		}
	}
}
