package evidence

import (
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/tracesim"
)

// A call that is slow once or twice in a run is no pattern of its encoding. Once two copies of 1 ms, slow because the
// machine was busy, were reported as the call to replace, "0 for each command buffer".
func TestEncodingCallIsFrequent(t *testing.T) {
	for _, c := range []struct {
		name  string
		slow  func(round int) int // calls of the round
		took  int64
		found bool
	}{
		{"once in the run", func(round int) int { return max(0, round-28) }, 1_000_000, false},
		{"often in each round", func(int) int { return 100 }, 20_000, true},
	} {
		s := tracesim.NewSim(8, 7)
		q := s.NewQueue("", 0)
		s.Thread(func(th *tracesim.Thread) {
			for round := range 30 {
				b := th.CommandBuffer(q)
				e := th.Open(b)
				for range c.slow(round) {
					e.UseResource(th, c.took)
				}
				e.Dispatch(th, "step", 200_000)
				e.Close(th)
				th.Commit(b)
				th.Wait(b)
			}
		})
		trace, err := analyze.Load(s.Run(t), analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := FindEncodingCall(trace); (got.Selector != "") != c.found {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
