package cause_test

import (
	"testing"

	"mtrace/analyze/cause"
	"mtrace/analyze/replay"
	"mtrace/analyze/tracesim"
)

// compiledFor is a program of four threads, of which one compiles in each round what the others need too, and wait
// for.
func compiledFor(compile int64, compiles func(round int) int) *tracesim.Sim {
	s := tracesim.NewSim(8, 7)
	shelf := &tracesim.Shelf{}
	for i := range 4 {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for round := range 80 {
				if compiles(round) == i {
					if compile > 0 {
						t.Compile("step", compile)
					}
					for range 3 {
						t.Put(shelf)
					}
				} else {
					t.Take(shelf)
				}
				t.Sleep(50 * us)
				b := t.CommandBuffer(q)
				t.Encode(b, "step", 400*us)
				t.Commit(b)
				t.Wait(b)
			}
		})
	}
	return s
}

// allocatedUnder is a program of four threads that each allocate under one lock before they submit.
func allocatedUnder(allocate int64) *tracesim.Sim {
	s := tracesim.NewSim(8, 7)
	s.Costs.Make = allocate
	lock := &tracesim.Lock{Seen: true}
	for i := range 4 {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			t.Sleep(int64(i) * 70 * us)
			for range 80 {
				t.Lock(lock)
				if allocate > 0 {
					t.Make(1<<20, 0, tracesim.Private)
				}
				t.Sleep(20 * us)
				t.Unlock(lock)
				b := t.CommandBuffer(q)
				t.Encode(b, "step", 200*us)
				t.Commit(b)
				t.Wait(b)
			}
		})
	}
	return s
}

// TestDownstream tells of programs in which other threads wait for what a cause delays: a compilation that they
// need, or a lock under which one allocates. Without the compilation a program was predicted to be 1.18 times as
// fast, and was 2.5 times; without the allocation 1.00 times, and was 3.5 times: the waits, and the time for which
// the lock was held, stayed.
func TestDownstream(t *testing.T) {
	first := func(int) int { return 0 }
	each := func(round int) int { return round % 4 }
	for _, c := range []struct {
		name          string
		cause         string
		with, without *tracesim.Sim
	}{
		{"one compiles and others wait", cause.CompileBound, compiledFor(1500*us, first), compiledFor(0, first)},
		{"each compiles in turn and others wait", cause.CompileBound, compiledFor(1500*us, each), compiledFor(0, each)},
		{"an allocation under a lock", cause.AllocationBound, allocatedUnder(300 * us), allocatedUnder(0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := load(t, c.with.Run(t))
			real := rate(load(t, c.without.Run(t))) / rate(trace)
			a := cause.Analyze(trace, cause.Options{})
			for _, f := range a.Verdict.Causes {
				t.Logf("%s lost %d %+v %s", f.Cause, f.Lost, f.Speedup, f.Unpredicted)
			}
			if a.Verdict.Cause != c.cause {
				t.Errorf("the verdict is %s, want %s", a.Verdict.Cause, c.cause)
			}
			g, why, err := a.Ask([]replay.Wanted{{Kind: cause.KindCause, Pattern: c.cause}})
			if err != nil || why != "" {
				t.Fatalf("nothing is predicted: %s %v", why, err)
			}
			if off := g.Estimate/real - 1; off > 0.1 || off < -0.1 || real < g.Low || real > g.High {
				t.Errorf("predicted %.2f (%.2f to %.2f), the run is %.2f times as fast", g.Estimate, g.Low, g.High, real)
			}
		})
	}
}
