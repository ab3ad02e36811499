package tracetest

import (
	"path/filepath"
	"testing"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// Small writes a trace with two processes, three threads, labels, two kernels, a nested call, an allocation, a
// compilation, a failed call and a thread that was still waiting at the end; it returns its path.
func Small(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.mtrace")
	f := Create(t, path)

	a := f.Process(100, "/bin/first")
	main := a.Thread(101, "main")
	main.Call(wire.FamilyFunction, "MTLCreateSystemDefaultDevice", 0, uint64(a.Device), 10_000, nil)
	main.NewQueue("work")
	axpy, matmul := main.NewPipeline("axpy"), main.NewPipeline("matmul")
	library := main.NewObject()
	main.Call(wire.FamilyDevice, "newLibraryWithSource:options:error:", a.Device, uint64(library), 200_000,
		&wire.More{X0: main.Text("00c0ffee"), X1: 1234})
	main.Call(wire.FamilyDevice, "newBufferWithLength:options:", a.Device, uint64(main.NewObject()), 2_000,
		&wire.More{X0: 1 << 20, X1: 2 << 4, X2: 0x7f0000001000})
	main.Run(Step{axpy, "first", 300, 2_000, 5_000, 40_000, 3_000})
	main.Run(Step{matmul, `comma, "quote"`, 300, 2_500, 6_000, 90_000, 4_000})
	begin := main.Now // nested: an encoder that makes a pipeline state, which begins with it
	main.Call(wire.FamilyDevice, "newComputePipelineStateWithFunction:error:", a.Device, uint64(main.NewObject()), 700,
		&wire.More{X0: main.Text("late")})
	main.Outer(wire.FamilyEncoder, "endEncoding", main.NewObject(), 0, begin, nil)

	main.Scope("training", begin)
	main.Mark("done")

	worker := a.Thread(102, "worker")
	worker.Now = main.Now / 2
	worker.Run(Step{matmul, "", 350, 2_100, 5_500, 80_000, 3_500})
	stuck := worker.NewObject()
	worker.Call(wire.FamilyQueue, "commandBuffer", a.Queue, uint64(stuck), 500, nil)
	worker.Call(wire.FamilyCommandBuffer, "commit", stuck, 0, 2_000, nil)
	a.End(tracefile.CurrentCall{Thread: 102, Ring: 1, Begin: wire.Ticks(Epoch + worker.Now + 100), Object: stuck,
		Call: wire.MustLookup(wire.FamilyCommandBuffer, "waitUntilCompleted")})

	b := f.Process(200, "/bin/second")
	other := b.Thread(201, "main")
	other.Now = 150_000
	other.NewQueue("other")
	other.Run(Step{other.NewPipeline("axpy"), "from b", 320, 1_900, 4_000, 30_000, 2_500})
	b.End()

	f.Close()
	return path
}
