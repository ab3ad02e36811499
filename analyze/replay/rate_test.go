package replay

import (
	"testing"

	"mtrace/analyze"
)

// The story: threads that compiled for most of a run and made nine command buffers each meanwhile were taken to set the pace of the run
// without compilation: it ended with their ninth, before the others had begun.
func TestRatePace(t *testing.T) {
	p := loops(3, 200, 100*Us, 100*Us)
	few := &p.threads[2]
	few.ops, few.jobs = few.ops[:3*9], few.jobs[:9]
	p.findPace()
	if p.threads[2].paces || !p.threads[0].paces {
		t.Fatal("who commits 9 of 409 sets the pace")
	}
	wantRate(t, "three, of which one is done early and counts as if it went on", rateOf(t, p, Change{}), 3/0.2)
}

// TestReplayBeginsWithoutCompilation: threads that compile first begin earlier when they do not.
func TestReplayBeginsWithoutCompilation(t *testing.T) {
	p := loops(2, 100, 100*Us, 100*Us)
	for i := range p.threads {
		p.threads[i].begin = analyze.Nanos(i) * 20_000 * Us
	}
	if with, without := rateOf(t, p, Change{}), rateOf(t, p, Change{Compile: true}); with > 8 || without < 9.9 {
		t.Errorf("%.2f command buffers in a millisecond, and %.2f without compilation, want under 8 and 10", with, without)
	}
}
