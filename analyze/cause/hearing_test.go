package cause_test

import (
	"math"
	"testing"

	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// handled is a run of four threads that wait for their work on a GPU that takes 90 µs to begin and 90 µs to report its
// end. All their command buffers have handlers of the given duration, or, if that is 0, none.
func handled(handler int64) *tracesim.Sim {
	const us = 1000
	s := tracesim.NewSim(4, 3)
	// half of it until the handlers run, half until the waiting thread wakes
	s.Costs.Schedule, s.Costs.Notify = 90*us, 180*us
	for range 4 {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for range 100 {
				b := t.CommandBuffer(q)
				t.Encode(b, "step", 200*us)
				if handler > 0 {
					t.Handler(b, handler)
				}
				t.Commit(b)
				t.Wait(b)
			}
		})
	}
	return s
}

// TestHearingOfTheEnd tells of slow handlers on the lab's GPU: the prediction without them was 3.02× and 3.16×, and the
// real speed-up was 2.7×. All command buffers had a handler. All but 20 µs of the time from the GPU's end to the
// handler's return was attributed to the handler, although the GPU's end is noticed 100 µs late.
func TestHearingOfTheEnd(t *testing.T) {
	with, without := load(t, handled(800_000).Run(t)), load(t, handled(0).Run(t))
	c := cause.Analyze(with, cause.Options{}).Verdict.Causes[0]
	if c.Cause != cause.CompletionHandlers || c.Speedup == nil {
		t.Fatalf("%s, %+v, %s", c.Cause, c.Speedup, c.Unpredicted)
	}
	if real := rate(without) / rate(with); math.Abs(c.Speedup.Estimate/real-1) > 0.05 {
		t.Errorf("predicted %+v, and the run without handlers is %.2f times as fast", *c.Speedup, real)
	}
}
