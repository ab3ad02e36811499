package cause_test

import (
	"testing"

	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// stopped is a program of two threads that allocate before each command buffer. At the end they wait until the main
// thread, which slept since the beginning, tells them to stop.
func stopped(allocate int64) *tracesim.Sim {
	s := tracesim.NewSim(8, 7)
	s.Costs.Make = max(1, allocate)
	stop := &tracesim.Shelf{}
	for range 2 {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for range 200 {
				t.Make(1<<20, 0, tracesim.Private)
				b := t.CommandBuffer(q)
				t.Encode(b, "step", 150*us)
				t.Commit(b)
				t.Wait(b)
			}
			stop.Take(t)
		})
	}
	s.Thread(func(t *tracesim.Thread) {
		t.Sleep(200 * (allocate + 250*us))
		for range 2 {
			stop.Put(t)
		}
	})
	return s
}

// TestStoppedByATimer: a program ends when its main thread has slept for a time and signals the workers. The replay
// once ended with that signal, however fast the workers were, so that no change was predicted to help.
func TestStoppedByATimer(t *testing.T) {
	trace := load(t, stopped(300*us).Run(t))
	real := rate(load(t, stopped(0).Run(t))) / rate(trace)
	v := cause.Analyze(trace, cause.Options{}).Verdict
	if v.Cause != cause.AllocationBound {
		t.Fatalf("the verdict is %s, want %s: %s", v.Cause, cause.AllocationBound, v.Summary)
	}
	if s := v.Causes[0].Speedup; s == nil || s.Estimate/real > 1.1 || s.Estimate/real < 0.9 {
		t.Errorf("predicted %v, the run is %.2f times as fast", s, real)
	}
}
