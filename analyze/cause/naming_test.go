package cause

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay"
)

// TestWorthNaming: in drawn pools that one thread fed, waits were 9.7% of the time. The replay predicted 6.5× without
// them, at least 1.9×, and a run without them was 6.6× as fast. The verdict was none, because the threshold was a tenth
// of the threads' time. Of programs that lost 10 to 13%, with a confident prediction, one in fifty changed its verdict
// with a slightly higher threshold.
func TestWorthNaming(t *testing.T) {
	trace := &analyze.Trace{CommandBuffers: make([]analyze.CommandBuffer, 100)}
	for name, c := range map[string]struct {
		lost analyze.Nanos // of 1000
		gain *replay.Speedup
		want string
	}{
		"a little less is lost, much is gained":  {97, &replay.Speedup{Estimate: 6.5, Low: 1.92, High: 7.5}, Starvation},
		"a little is lost, what it brings shows": {60, &replay.Speedup{Estimate: 1.12, Low: 1.06, High: 1.2}, Starvation},
		"a little is lost, and may bring so":     {60, &replay.Speedup{Estimate: 1.06, Low: 1.01, High: 1.1}, GPUBound},
		"the loss may be chance":                 {30, &replay.Speedup{Estimate: 1.5, Low: 1.3, High: 1.6}, GPUBound},
		"nothing is predicted":                   {97, nil, GPUBound},
		"much is lost, and nothing predicted":    {120, nil, Starvation},
		"much is lost, and what it brings wide":  {120, &replay.Speedup{Estimate: 1.3, Low: 0.8, High: 2}, GPUBound},
	} {
		v := Verdict{Causes: []Finding{{Cause: Starvation, Present: true, Lost: c.lost, Speedup: c.gain},
			{Cause: GPUBound, Present: true, Standing: Limit, Lost: 400}}}
		v.decide(&evidence.Evidence{Trace: trace, Submitters: evidence.Submitters{Time: 1000}})
		if v.Cause != c.want || v.Causes[0].Cause != c.want {
			t.Errorf("%s: %s, want %s", name, v.Cause, c.want)
		}
	}
}
