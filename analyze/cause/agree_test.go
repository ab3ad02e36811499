package cause

import (
	"testing"

	"mtrace/analyze/replay"
)

// Windows of a long run between windows that agree need no predictions of their own: replays took half of the time of a
// report on two million calls.
func TestAgree(t *testing.T) {
	window := func(cause string, s *replay.Speedup) *Analysis {
		return &Analysis{Verdict: Verdict{Cause: cause, Causes: []Finding{{Cause: cause, Speedup: s}}},
			replay: &replay.Replay{}}
	}
	gain := func(estimate, low, high float64) *replay.Speedup {
		return &replay.Speedup{Estimate: estimate, Low: low, High: high}
	}
	unpredicted := window(QueueDepth, nil)
	unpredicted.replay = nil
	for name, c := range map[string]struct {
		windows []*Analysis
		want    bool
	}{
		"one verdict, gains within each other's intervals": {[]*Analysis{window(QueueDepth, gain(1.5, 1.3, 1.8)),
			window(QueueDepth, gain(1.4, 1.2, 1.6))}, true},
		"one verdict, a gain outside": {[]*Analysis{window(QueueDepth, gain(1.5, 1.3, 1.8)),
			window(QueueDepth, gain(1.2, 1.1, 1.6))}, false},
		"one verdict, gains of none": {[]*Analysis{window(QueueDepth, nil), window(QueueDepth, nil)}, true},
		"a gain of one only":         {[]*Analysis{window(QueueDepth, nil), window(QueueDepth, gain(1.5, 1.3, 1.8))}, false},
		"two verdicts": {[]*Analysis{window(QueueDepth, gain(1.5, 1.3, 1.8)),
			window(LockContention, gain(1.5, 1.3, 1.8))}, false},
		"one was not asked": {[]*Analysis{window(QueueDepth, nil), unpredicted}, false},
	} {
		if got := Agree(c.windows); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	// The run's evidence is taken from a window with the run's verdict, preferably from one with predictions.
	windows := []Window{{Analysis: unpredicted}, {Analysis: window(QueueDepth, nil)},
		{Analysis: window(LockContention, nil)}}
	if of := verdictOf(windows, QueueDepth); len(of) != 1 || of[0] != 1 {
		t.Errorf("windows %v stand for the run", of)
	}
	if of := verdictOf(windows[:1], QueueDepth); len(of) != 1 || of[0] != 0 {
		t.Errorf("without predictions, windows %v stand for the run", of)
	}
}
