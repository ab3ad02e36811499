package analyze_test

import (
	"testing"

	"mtrace/analyze"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracesim"
)

// A command buffer that failed before it began has equal begin and end times on the GPU. Such command buffers once
// counted as work that takes no time, and lowered medians.
func TestFailureWithoutWork(t *testing.T) {
	f, p := tracesim.NewFile()
	at := int64(1_000_000_000)
	r := p.Thread(201, "main", at)
	for i, gpu := range []struct {
		status uint64
		length int64
	}{{4, 1000}, {4, 0}, {5, 1000}, {5, 0}} {
		id := uint32(10 + i)
		r.Add(wire.MustLookup(wire.FamilyQueue, "commandBuffer"), at, at+100, 1, uint64(id))
		r.Add(wire.MustLookup(wire.FamilyCommandBuffer, "commit"), at+200, at+300, id, 0)
		r.AddMore(wire.Record{Begin: wire.Ticks(at + 5000), End: wire.Ticks(at + 5100), Object: wire.ObjectID(id),
			Arg: gpu.status, Call: wire.CallCompleted}, wire.More{X0: uint64(at + 400), X1: uint64(at + 400 + gpu.length)})
		at += 10_000
	}
	trace, err := analyze.Load(f.Write(t), analyze.Options{})
	if err != nil || len(trace.CommandBuffers) != 4 {
		t.Fatal(err, len(trace.CommandBuffers))
	}
	for i, known := range []bool{true, true, true, false} {
		if trace.CommandBuffers[i].GPU.Known() != known {
			t.Errorf("command buffer %d: %+v", i, trace.CommandBuffers[i].GPU)
		}
	}
}
