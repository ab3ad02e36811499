package cause_test

import (
	"testing"

	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// TestBursts: threads that submit several short command buffers in a burst, and work on something else for longer, got
// no advice, although the run was 1.5 to 2 times as fast with one command buffer instead of the burst. Elsewhere the
// prediction was for a sixteenth of all command buffers, which such a program cannot reach: 3.8x instead of the true
// 2.2x.
func TestBursts(t *testing.T) {
	const think, runs = 1300 * us, 8 * us
	run := func(burst int, kernel int64) (string, int64) {
		s := tracesim.NewSim(2, 3)
		s.Costs.Schedule, s.Costs.Notify = 70*us, 60*us
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for range 60 {
				t.Sleep(think)
				for range burst {
					b := t.CommandBuffer(q)
					t.Encode(b, "step", kernel)
					t.Commit(b)
					t.Wait(b)
				}
			}
		})
		return s.Run(t), s.Truth.Finished - s.Truth.Started
	}
	file, took := run(8, runs)
	_, merged := run(1, 8*runs)
	want := float64(took) / float64(merged)
	v := cause.Analyze(load(t, file), cause.Options{}).Verdict
	if v.Cause != cause.LaunchBound {
		t.Fatalf("bursts of 8: %s (%s)", v.Cause, v.Summary)
	}
	if s := v.Causes[0].Speedup; s == nil || s.Low > want || s.High < want {
		t.Errorf("bursts of 8 as one: %+v (%s), want %.2f", s, v.Causes[0].Unpredicted, want)
	}
	file, _ = run(1, runs)
	if v := cause.Analyze(load(t, file), cause.Options{}).Verdict; v.Cause == cause.LaunchBound {
		t.Errorf("one command buffer a turn: %s (%s)", v.Cause, v.Summary)
	}
}
