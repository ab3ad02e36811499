package program_test

import (
	"testing"

	"mtrace/analyze/replay/machine"
	"mtrace/fixtures/loops"
)

// TestPace tells of threads that compiled for most of a run and made nine command buffers each meanwhile. They were
// assumed to set the pace of the run without compilation, which ended with their ninth, before the other threads had
// begun.
func TestPace(t *testing.T) {
	p := loops.Of(3, 200, 100*loops.Us, 100*loops.Us)
	few := &p.Threads[2]
	few.Steps, few.Jobs = few.Steps[:3*9], few.Jobs[:9]
	p.FindPace()
	if p.Threads[2].Paces || !p.Threads[0].Paces {
		t.Fatal("a thread that commits 9 of 409 sets the pace")
	}
	r, _ := machine.Run(p)
	if got := 1e6 * p.Rate(r.Progress); got < 0.98*3/0.2 || got > 1.02*3/0.2 {
		t.Errorf("%.2f command buffers in a millisecond, want 15: a thread that ends early counts as if it had continued",
			got)
	}
}
