package cause_test

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// A time range may have the commits of command buffers without their work on the GPU, which came later: their replay
// looked for a GPU that was idle in this range, and crashed.
func TestRangeBeforeTheWork(t *testing.T) {
	s := tracesim.NewSim(1, 1)
	s.Schedule = 50_000_000
	q := s.NewQueue("work", 0)
	s.Thread(func(th *tracesim.Thread) {
		var last *tracesim.Buffer
		for range 30 {
			th.Compile("step", 300_000)
			last = th.CommandBuffer(q)
			th.Encode(last, "step", 100_000)
			th.Commit(last)
		}
		th.Wait(last)
	})
	path := s.Run(t)
	for _, to := range []analyze.Nanos{500_000, 5_000_000, 9_000_000, 20_000_000, 52_000_000} {
		trace, err := analyze.Load(path, analyze.Options{To: to})
		if err != nil {
			t.Fatal(err)
		}
		cause.Analyze(trace, cause.Options{})
	}
}
