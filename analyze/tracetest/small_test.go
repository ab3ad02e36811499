package tracetest

import (
	"testing"

	"mtrace/analyze"
)

// What the script says is what the loader finds, so that tests built on scripts rest on something.
func TestSmallIsWhatItSays(t *testing.T) {
	visited := map[string]int{}
	trace, err := analyze.Load(Small(t), analyze.Options{Visit: func(
		c *analyze.VisitedCall) {
		visited[c.Row.Selector]++
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(trace.Processes) != 2 || len(trace.Threads) != 3 || len(trace.Queues) != 2 || len(trace.CommandBuffers) != 5 ||
		len(trace.Memory.Allocations) != 1 {
		t.Errorf("%d processes, %d threads, %d queues, %d command buffers, %d allocations", len(trace.Processes),
			len(trace.Threads),
			len(trace.Queues), len(trace.CommandBuffers), len(trace.Memory.Allocations))
	}
	if len(trace.Unfinished) != 1 || trace.Unfinished[0].Thread.ID != 102 {
		t.Errorf("unfinished: %+v", trace.Unfinished)
	}
	events := int64(len(trace.Unfinished)) // visited, but not among the calls that returned
	for _, n := range visited {
		events -= int64(n)
	}
	if events+trace.Events != 0 {
		t.Errorf("%d calls in the trace, %+v visited", trace.Events, visited)
	}
	for b := range trace.Buffers() {
		if b.Label == "first" && (b.GPU.Length() != 40_000 || b.Encoders[0].Dispatches[0].Pipeline.Kernel != "axpy" ||
			b.Queue.Label != "work") {
			t.Errorf("command buffer %q: %+v", b.Label, b)
		}
	}
	if len(trace.Warnings) > 1 {
		t.Errorf("warnings: %q", trace.Warnings)
	}
}
