package cause_test

import (
	"testing"

	"mtrace/analyze/cause"
	"mtrace/analyze/replay"
	"mtrace/fixtures/tracesim"
)

// timed is a program whose command buffers wait for the next value of an event that a timer sets each millisecond.
// Every second round compiles, so that the program misses some values of the timer.
func timed(compiles bool) *tracesim.Sim {
	const rounds = 120
	s := tracesim.NewSim(2, 1)
	event, value, done := s.NewEvent(), uint64(0), false
	s.Thread(func(t *tracesim.Thread) { // the timer
		for !done {
			t.Sleep(1_000_000)
			value++
			t.SetEvent(event, value)
		}
	})
	s.Thread(func(t *tracesim.Thread) {
		q := s.NewQueue("frames", 64)
		for i := range rounds {
			if t.Work(70_000); compiles && i%2 == 0 {
				t.Compile("shade", 3_200_000)
			}
			b := t.CommandBuffer(q)
			t.WaitEvent(b, event, value+1)
			t.Encode(b, "shade", 180_000)
			t.Commit(b)
			t.Wait(b)
		}
		done = true
	})
	return s
}

// TestTimerSetsEvents tells of a renderer that waited for the next tick of a timer and compiled in every second frame.
// The replay made each command buffer wait for the tick that it had waited for in the recorded run, although without
// compilation it would have waited for an earlier one. It predicted that compilation costs nothing, and the verdict was
// event-chain; without compilation the program was more than twice as fast.
func TestTimerSetsEvents(t *testing.T) {
	trace := load(t, timed(true).Run(t))
	real := rate(load(t, timed(false).Run(t))) / rate(trace)
	a := cause.Analyze(trace, cause.Options{})
	if a.Verdict.Cause != cause.CompileBound {
		t.Errorf("%s: %s", a.Verdict.Cause, a.Verdict.Summary)
	}
	g, why, err := a.Predict([]replay.Wanted{{Kind: cause.KindCause, Pattern: cause.CompileBound}})
	if err != nil || why != "" || g.Low > real || g.High < real {
		t.Errorf("predicted %s (%s, %v), and without compilation it is %.2f times as fast", g.InWords(), why, err, real)
	}
}
