package cause

import (
	"testing"

	"mtrace/analyze/replay"
	_ "mtrace/fixtures/testheap"
)

// Windows of a long run between ranges that agree need no predictions of their own: replays took half of the time of a
// report on two million calls.
func TestAgree(t *testing.T) {
	analyzed := func(cause string, s *replay.Speedup) *Analysis {
		return &Analysis{Verdict: Verdict{Cause: cause, Causes: []Finding{{Cause: cause, Speedup: s}}},
			replay: &replay.Replay{}}
	}
	gain := func(estimate, low, high float64) *replay.Speedup {
		return &replay.Speedup{Estimate: estimate, Low: low, High: high}
	}
	unpredicted := analyzed(QueueDepth, nil)
	unpredicted.replay = nil
	for name, c := range map[string]struct {
		ranges []*Analysis
		want   bool
	}{
		"one verdict, gains within each other's intervals": {[]*Analysis{analyzed(QueueDepth, gain(1.5, 1.3, 1.8)),
			analyzed(QueueDepth, gain(1.4, 1.2, 1.6))}, true},
		"one verdict, a gain outside": {[]*Analysis{analyzed(QueueDepth, gain(1.5, 1.3, 1.8)),
			analyzed(QueueDepth, gain(1.2, 1.1, 1.6))}, false},
		"one verdict, gains of none": {[]*Analysis{analyzed(QueueDepth, nil), analyzed(QueueDepth, nil)}, true},
		"a gain of one only": {[]*Analysis{analyzed(QueueDepth, nil),
			analyzed(QueueDepth, gain(1.5, 1.3, 1.8))}, false},
		"two verdicts": {[]*Analysis{analyzed(QueueDepth, gain(1.5, 1.3, 1.8)),
			analyzed(LockContention, gain(1.5, 1.3, 1.8))}, false},
		"one was not asked": {[]*Analysis{analyzed(QueueDepth, nil), unpredicted}, false},
	} {
		if got := Agree(c.ranges); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	// The run's evidence is taken from a range with the run's verdict, preferably from one with predictions.
	ranges := []Range{{Analysis: unpredicted}, {Analysis: analyzed(QueueDepth, nil)},
		{Analysis: analyzed(LockContention, nil)}}
	if of := verdictOf(ranges, QueueDepth); len(of) != 1 || of[0] != 1 {
		t.Errorf("ranges %v stand for the run", of)
	}
	if of := verdictOf(ranges[:1], QueueDepth); len(of) != 1 || of[0] != 0 {
		t.Errorf("without predictions, ranges %v stand for the run", of)
	}
}
