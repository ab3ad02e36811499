package program

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

const us = analyze.Nanos(1000)

// TestWaking: commits that need not wake a thread show the cost of waking.
func TestWaking(t *testing.T) {
	for _, c := range []struct{ quick, slow, want float64 }{{2, 10, 0.762}, {10, 10, 0},
		{0, 10, policy.LargestWakingShare},
		{0, 0, 0}} {
		var commits []analyze.Nanos
		for i := range 200 {
			if commits = append(commits, analyze.Nanos(c.slow*1000)); i%5 == 0 {
				commits[i] = analyze.Nanos(c.quick * 1000)
			}
		}
		if got := waking(commits); got < c.want-0.01 || got > c.want+0.01 {
			t.Errorf("commits of %v µs and some of %v µs: %.3f goes into waking, want %.3f", c.slow, c.quick, got, c.want)
		}
	}
}

// TestUndelayed tells of threads that compute, on fewer processors. The predicted gain from a processor for each was a
// tenth too high. A fifth of their hand-offs had begun inside the commit, for want of a processor, and were used as the
// measure of a quick hand-off.
func TestUndelayed(t *testing.T) {
	var all []analyze.Nanos
	for range 30 {
		all = append(all, 0, 0, 12*us, 25*us, 31*us, 700*us, 1100*us, 2000*us)
	}
	if got := undelayed(all, 0); got != 25*us {
		t.Errorf("%v with a processor, want 25 µs", got)
	}
	if got := undelayed(all[:40], 7*us); got != 7*us {
		t.Errorf("%v where too few found a processor, want what the quickest take, 7 µs", got)
	}
}

// TestHindered: turnarounds that take longer than usual wait for processors as other hand-offs do.
func TestHindered(t *testing.T) {
	p := &Program{HandOffs: HandOffs{Turnarounds: []analyze.Nanos{30 * us, 30 * us, 230 * us}, WaitedFor: 200 * us}}
	for range 30 {
		p.Jobs = append(p.Jobs, Job{Latency: 20 * us})
	}
	p.MeasureHandOffs()
	if p.HandOffs.Hindered != 1 {
		t.Errorf("%.2f of what was not usual waited for processors, want all", p.HandOffs.Hindered)
	}
}
