package analyze_test

import (
	"fmt"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracetest"
)

// An indirect is a thread that fills and executes indirect command buffers.
type indirect struct {
	*tracetest.Thread
	buffer, encoder wire.ObjectID
}

func (d *indirect) command(in wire.ObjectID, index uint64) wire.ObjectID {
	c := d.NewObject()
	d.Call(wire.FamilyResource, "indirectComputeCommandAtIndex:", in, uint64(c), 100, &wire.More{X0: index})
	return c
}

func (d *indirect) fill(in wire.ObjectID, index uint64, pipeline wire.ObjectID, threads uint64) {
	c := d.command(in, index)
	if pipeline != 0 {
		d.Call(wire.FamilyIndirectCommand, "setComputePipelineState:", c, uint64(pipeline), 100, nil)
	}
	d.Call(wire.FamilyIndirectCommand, "concurrentDispatchThreads:threadsPerThreadgroup:", c, threads, 100, &wire.More{})
}

func (d *indirect) begin(encoder string) {
	d.buffer, d.encoder = d.NewObject(), d.NewObject()
	d.Call(wire.FamilyQueue, "commandBuffer", d.Queue, uint64(d.buffer), 500, nil)
	d.Call(wire.FamilyCommandBuffer, encoder, d.buffer, uint64(d.encoder), 400, nil)
}

func (d *indirect) bind(pipeline wire.ObjectID) {
	d.Call(wire.FamilyEncoder, "setComputePipelineState:", d.encoder, uint64(pipeline), 60, nil)
}

func (d *indirect) dispatch(threads uint64) {
	d.Call(wire.FamilyEncoder, "dispatchThreads:threadsPerThreadgroup:", d.encoder, threads, 100, &wire.More{})
}

func (d *indirect) execute(in wire.ObjectID, first, count uint64) {
	d.Call(wire.FamilyEncoder, "executeCommandsInBuffer:withRange:", d.encoder, count, 100,
		&wire.More{X0: uint64(in), X1: first})
}

// end commits and waits; the GPU begins the work after delay, for a millisecond.
func (d *indirect) end(delay int64) {
	d.Call(wire.FamilyEncoder, "endEncoding", d.encoder, 0, 80, nil)
	d.Call(wire.FamilyCommandBuffer, "commit", d.buffer, 0, 1000, nil)
	d.Completes(d.buffer, delay, 1_000_000)
}

func kernelOf(s kernels.Share) string { return s.Kernel }

// The kernels that an indirect command buffer executes appear in the table of kernels. Kernels of dispatches without
// threads, which tinygrad makes for each kernel of a graph, do not, and neither do unknown kernels. One row of an
// execution is one kernel here.
func TestIndirectCommands(t *testing.T) {
	script := newScript(t)
	d := &indirect{Thread: script.main()}
	decoy, work, other, inherited := d.NewPipeline("decoy"), d.NewPipeline("work"), d.NewPipeline("other"),
		d.NewPipeline("inherited")
	graph, copied, byGPU := d.NewObject(), d.NewObject(), d.NewObject()
	var want []string
	run := func(says string, encode func()) {
		want = append(want, says)
		d.begin("computeCommandEncoder")
		encode()
		d.end(5000)
	}

	d.fill(graph, 0, work, 3000)
	d.fill(graph, 1, other, 1000)
	d.fill(graph, 2, decoy, 0)
	run("work 500000, other 500000", func() {
		d.bind(decoy)
		d.dispatch(0)
		d.execute(graph, 0, 3)
	})
	run("work 500000, other 500000", func() { d.execute(graph, 0, 3) })
	run("other 1000000", func() { d.execute(graph, 1, 1) })
	again := d.command(graph, 1) // a new object is the same place
	d.Call(wire.FamilyIndirectCommand, "setComputePipelineState:", again, uint64(work), 100, nil)
	run("work 1000000", func() { d.execute(graph, 1, 1) })
	run("indirect command buffer 1000000", func() { d.execute(byGPU, 0, 100) })
	run("indirect command buffer 1000000", func() {
		d.bind(decoy)
		d.Call(wire.FamilyEncoder, "executeCommandsInBuffer:indirectBuffer:indirectBufferOffset:", d.encoder, 0, 100,
			&wire.More{X0: uint64(graph)})
	})
	d.fill(byGPU, 7, 0, 64)
	run("inherited 1000000", func() {
		d.bind(inherited)
		d.execute(byGPU, 0, 100)
	})

	// The GPU copies and resets commands when it executes the copy, not when that is encoded.
	want = append(want, "(copies) 1000000")
	d.begin("blitCommandEncoder")
	d.Call(wire.FamilyEncoder, "copyIndirectCommandBuffer:sourceRange:destination:destinationIndex:", d.encoder, 1, 100,
		&wire.More{X0: uint64(graph), X1: uint64(copied), X2: 0 | 5<<32})
	d.Call(wire.FamilyIndirectCommand, "setComputePipelineState:", d.command(graph, 0), uint64(other), 100, nil)
	d.end(5000)
	d.Call(wire.FamilyResource, "resetWithRange:", graph, 3, 100, &wire.More{X0: 0})
	run("other 1000000", func() { d.execute(copied, 5, 1) })
	run("indirect command buffer 1000000", func() { d.execute(graph, 0, 3) })
	last := d.command(copied, 5)
	d.Call(wire.FamilyIndirectCommand, "reset", last, 0, 100, nil)
	run("indirect command buffer 1000000", func() { d.execute(copied, 0, 1<<60) })
	trace := script.load(t)
	checkShares(t, trace, want, kernelOf)
	checkThreads(t, trace, "work 3000, other 1000")
	for _, k := range kernels.Summarize(trace) {
		if k.Name == "decoy" {
			t.Errorf("a kernel that never ran a thread: %+v", k)
		}
	}
	if trace.CommandBuffers[0].Encoders[0].Empty != 1 {
		t.Error("the dispatch without threads is not counted")
	}
}

// An execution on one thread runs commands that another thread has encoded, also if the other thread's records are read
// later.
func TestIndirectCommandsOfAnotherThread(t *testing.T) {
	script := newScript(t)
	d := &indirect{Thread: script.main()}
	filler := &indirect{Thread: script.Thread(102, "fills")}
	work, graph := d.NewPipeline("work"), d.NewObject()
	filler.Now = d.Now
	filler.fill(graph, 0, work, 64)
	d.Now = filler.Now + 1000
	d.begin("computeCommandEncoder")
	d.execute(graph, 0, 1)
	d.end(1000)
	trace := script.load(t)
	if s := kernels.Split(&trace.CommandBuffers[0], trace.TimeRange, kernels.CostsOf(trace)); len(s) != 1 ||
		s[0].Kernel != "work" || s[0].Threads != 64 {
		t.Errorf("%+v", s)
	}
}

// Draws of an indirect command buffer have the names of their pipeline states, as dispatches have; a draw without
// vertices does nothing.
func TestIndirectDrawings(t *testing.T) {
	script := newScript(t)
	d := &indirect{Thread: script.main()}
	trees, stones, pass := d.NewPipeline("trees"), d.NewPipeline("stones"), d.NewPipeline("pass")
	scene := d.NewObject()
	draw := func(index uint64, pipeline wire.ObjectID, vertices uint64) {
		c := d.NewObject()
		d.Call(wire.FamilyResource, "indirectRenderCommandAtIndex:", scene, uint64(c), 100, &wire.More{X0: index})
		if pipeline != 0 {
			d.Call(wire.FamilyIndirectCommand, "setRenderPipelineState:", c, uint64(pipeline), 100, nil)
		}
		d.Call(wire.FamilyIndirectCommand, "drawPrimitives:vertexStart:vertexCount:instanceCount:baseInstance:", c, vertices,
			100, nil)
	}
	draw(0, trees, 300)
	draw(1, stones, 100)
	draw(2, 0, 600) // with the encoder's
	draw(3, stones, 0)
	want := []string{"trees 333333, stones 333333, pass 333334", "stones 1000000", "indirect command buffer 1000000"}
	for i, r := range [][2]uint64{{0, 4}, {1, 1}, {4, 2}} {
		d.begin("renderCommandEncoderWithDescriptor:")
		if i == 0 {
			d.Call(wire.FamilyEncoder, "setRenderPipelineState:", d.encoder, uint64(pass), 60, nil)
		}
		d.execute(scene, r[0], r[1])
		d.end(5000)
	}
	trace := script.load(t)
	checkShares(t, trace, want, kernelOf)
	checkThreads(t, trace, "trees 300, stones 100, pass 600")
}

// checkThreads compares the thread counts of each kernel of the first command buffer with the expected ones.
func checkThreads(t *testing.T, trace *analyze.Trace, want string) {
	t.Helper()
	var says []string
	for _, s := range kernels.Split(&trace.CommandBuffers[0], trace.TimeRange, kernels.CostsOf(trace)) {
		says = append(says, fmt.Sprintf("%s %d", s.Kernel, s.Threads))
	}
	if got := strings.Join(says, ", "); got != want {
		t.Errorf("the first command buffer dispatches %s; want %s", got, want)
	}
}
