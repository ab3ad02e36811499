package cause_test

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/replay"
	"mtrace/fixtures/tracesim"
)

// smallBuffers are two threads that wait for each of their command buffers, with so many dispatches in each.
func smallBuffers(t *testing.T, each int, gpu int64) *analyze.Trace {
	s := tracesim.NewSim(8, 7)
	s.Costs.Schedule, s.Costs.Notify = 100*us, 60*us
	for range 2 {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for range 800 / each {
				b := t.CommandBuffer(q)
				for range each {
					t.Encode(b, "step", gpu)
				}
				t.Commit(b)
				t.Wait(b)
			}
		})
	}
	return load(t, s.Run(t))
}

// A program with command buffers that are too small was advised to encode more, without the gain of merging 2, 4 or 8
// into one.
func TestMergedCommandBuffers(t *testing.T) {
	alone := smallBuffers(t, 1, 10*us)
	length := float64(alone.TimeRange.Length())
	found := map[string]replay.Gain{}
	for _, g := range cause.Analyze(alone, cause.Options{}).Gains() {
		if g.Kind == replay.KindMerge {
			found[g.Name] = g
		}
	}
	for name, each := range map[string]int{"2": 2, "4": 4, "8": 8} {
		truth := length / float64(smallBuffers(t, each, 10*us).TimeRange.Length())
		if g, there := found[name]; !there || truth < 0.95*g.Low || truth > 1.05*g.High {
			t.Errorf("%s command buffers in one: %+v, and the run is %.2f times as fast", name, g.Speedup, truth)
		}
	}
	for _, g := range cause.Analyze(smallBuffers(t, 1, 2000*us), cause.Options{}).Gains() {
		if g.Kind == replay.KindMerge {
			t.Errorf("large command buffers are to be merged: %+v", g)
		}
	}
}
