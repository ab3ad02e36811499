package cause_test

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// The story: the GPU stalled once, for 60 ms, with 29 command buffers behind the stall. Each of them counted as an
// observation, which was enough to report that another program uses the GPU. A stall counts once; ten of them, each
// with as many command buffers, are a pattern. One stall that the queues of three devices
// see is one, too.
func TestOneStallIsNoForeignLoad(t *testing.T) {
	// the simulation begins at one second, so a program that is busy for 1060 ms of the first period stalls it for 60 ms
	for _, c := range []struct {
		name    string
		other   tracesim.OtherProgram
		queues  int
		devices int
		want    bool
	}{
		{"one stall", tracesim.OtherProgram{Busy: 1060 * ms, Period: 3600_000 * ms}, 1, 1, false},
		{"one stall of three queues", tracesim.OtherProgram{Busy: 1060 * ms, Period: 3600_000 * ms}, 3, 1, false},
		{"one stall of twelve queues", tracesim.OtherProgram{Busy: 1060 * ms, Period: 3600_000 * ms}, 12, 1, false},
		{"one stall of three devices", tracesim.OtherProgram{Busy: 1060 * ms, Period: 3600_000 * ms}, 12, 3, false},
		{"many stalls", tracesim.OtherProgram{Busy: 6 * ms, Period: 16 * ms}, 1, 1, true},
	} {
		s := tracesim.NewSim(4, 1)
		s.Other = c.other
		for range c.queues {
			q := s.NewQueue("", 0)
			s.Thread(func(th *tracesim.Thread) {
				for round := range 60 {
					many := 1
					if round == 0 || c.want {
						many = 29
					}
					th.Sleep(7 * ms)
					var all []*tracesim.Buffer
					for range many {
						b := th.CommandBuffer(q)
						th.Encode(b, "step", 50*us)
						th.Commit(b)
						all = append(all, b)
					}
					for _, b := range all {
						th.Wait(b)
					}
				}
			})
		}
		trace := load(t, s.Run(t))
		for i, q := range trace.Queues {
			if n := i % c.devices; n > 0 {
				q.Device = &analyze.Device{Name: "GPU #" + string(rune('1'+n))}
			}
		}
		a := cause.Analyze(trace, cause.Options{})
		found := false
		for _, f := range a.Verdict.Causes {
			found = found || f.Cause == cause.ExternalGPULoad
		}
		if e := &a.Evidence.External; found != c.want || e.Late < 20 {
			t.Errorf("%s: found %v; %d of %d late, in %d stalls; waited %v; saturated %v", c.name, found, e.Late, e.Delays,
				e.Stalls, e.Waited, e.Saturated)
		}
	}
}
