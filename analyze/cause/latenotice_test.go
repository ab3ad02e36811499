package cause

import (
	"testing"

	"mtrace/analyze"
	"mtrace/collector/wire"
	"mtrace/fixtures/handmade"
	"mtrace/fixtures/tracesim"
)

// TestLateNotification tells of a renderer that never waits for its command buffers. Its producer was the bottleneck,
// and the verdict was none: the notification of each command buffer came as late as the next item, so work always
// counted as in flight, although the GPU was idle.
func TestLateNotification(t *testing.T) {
	const period = 1_000_000
	w := handmade.New(60 * period)
	for i := range analyze.Nanos(59) {
		begin := 1000 + i*period
		w.Blocked(w.A, handmade.At(begin, begin+840_000), analyze.BlockedPipe, wire.DescriptorPipe, "")
		b := w.Buffer(w.A, begin+850_000, handmade.At(begin+860_000, begin+960_000))
		b.Completed = handmade.At(b.GPU.End+900_000, b.GPU.End+900_010)
	}
	w.Trace.Finish()
	if v := Analyze(w.Trace, Options{}).Verdict; v.Cause != Starvation {
		t.Errorf("%s, want %s: %s", v.Cause, Starvation, v.Summary)
	}
}

// TestAllocatingBesideHandlers: memory that a renderer allocated while completion handlers ran counted as allocated
// with work in flight.
func TestAllocatingBesideHandlers(t *testing.T) {
	s := tracesim.NewSim(8, 7)
	s.Costs.Make = 400_000
	q := s.NewQueue("", 0)
	s.Thread(func(t *tracesim.Thread) {
		for range 200 {
			t.Make(1<<20, 0, tracesim.Private)
			b := t.CommandBuffer(q)
			t.Encode(b, "frame", 50_000)
			t.Handler(b, 350_000)
			t.Commit(b)
		}
	})
	trace, err := analyze.Load(s.Run(t), analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := Analyze(trace, Options{}).Verdict; v.Cause != AllocationBound {
		t.Errorf("%s, want %s: %s", v.Cause, AllocationBound, v.Summary)
	}
}
