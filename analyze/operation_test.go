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

// A named is a thread that encodes work and calls it something.
type named struct {
	*tracetest.Thread
	buffer, encoder wire.ObjectID
}

func (n *named) label(family wire.Family, object wire.ObjectID, text string) {
	n.Call(family, "setLabel:", object, n.Text(text), 50, nil)
}

func (n *named) push(family wire.Family, object wire.ObjectID, text string) {
	n.Call(family, "pushDebugGroup:", object, n.Text(text), 50, nil)
}

func (n *named) pop(family wire.Family, object wire.ObjectID) {
	n.Call(family, "popDebugGroup", object, 0, 50, nil)
}

func (n *named) begin() {
	n.buffer = n.NewObject()
	n.Call(wire.FamilyQueue, "commandBuffer", n.Queue, uint64(n.buffer), 500, nil)
}

func (n *named) encode(pipeline wire.ObjectID) {
	n.encoder = n.NewObject()
	n.Call(wire.FamilyCommandBuffer, "computeCommandEncoder", n.buffer, uint64(n.encoder), 400, nil)
	n.Call(wire.FamilyEncoder, "setComputePipelineState:", n.encoder, uint64(pipeline), 60, nil)
}

func (n *named) dispatch() {
	n.Call(wire.FamilyEncoder, "dispatchThreads:threadsPerThreadgroup:", n.encoder, 1000, 100, &wire.More{})
}

func (n *named) commit() {
	n.Call(wire.FamilyCommandBuffer, "commit", n.buffer, 0, 1000, nil)
	n.Completes(n.buffer, 5000, 1_000_000)
}

// operationOf returns the operation of a share of a command buffer, and the source of its name.
func operationOf(s kernels.Share) string {
	return fmt.Sprintf("%s (%s)", s.Operation.Name, s.Operation.From)
}

// An operation's name comes from the nearest source, and that source is recorded; without a source there is no name.
// Equal dispatches with different names are not one run: their time goes to both names.
func TestOperations(t *testing.T) {
	script := newScript(t)
	n := &named{Thread: script.main()}
	kernel := n.NewPipeline("kernel")
	tuned := n.NewObject()
	n.Call(wire.FamilyDevice, "newComputePipelineStateWithFunction:error:", n.Device, uint64(tuned), 50_000,
		&wire.More{X0: n.Text("kernel"), X1: n.Text("tuned kernel")})
	var want []string
	run := func(says string, encode func()) {
		want = append(want, says)
		n.begin()
		encode()
		n.commit()
	}

	run("() 1000000", func() { n.encode(kernel); n.dispatch() })
	run("step (command buffer label) 1000000", func() {
		n.encode(kernel)
		n.dispatch()
		n.label(wire.FamilyCommandBuffer,
			n.buffer, "step")
	})
	run("layer (command buffer's debug group) 1000000", func() {
		n.label(wire.FamilyCommandBuffer, n.buffer, "step")
		n.push(wire.FamilyCommandBuffer, n.buffer, "layer")
		n.encode(kernel)
		n.dispatch()
		n.pop(wire.FamilyCommandBuffer, n.buffer)
	})
	run("tuned kernel (pipeline label) 1000000",
		func() { n.label(wire.FamilyCommandBuffer, n.buffer, "step"); n.encode(tuned); n.dispatch() })
	// as tinygrad does
	run("() 1000000", func() { n.label(wire.FamilyCommandBuffer, n.buffer, "kernel"); n.encode(kernel); n.dispatch() })
	run("matmul (encoder label) 1000000", func() {
		n.label(wire.FamilyCommandBuffer, n.buffer, "step")
		n.encode(tuned)
		n.label(wire.FamilyEncoder, n.encoder, "matmul")
		n.dispatch()
	})
	run("matmul (encoder label) 250000, add (debug group) 250000, mul (debug group) 250000, matmul (encoder label) "+
		"250000", func() {
		n.encode(kernel)
		n.label(wire.FamilyEncoder, n.encoder, "matmul")
		n.dispatch()
		n.push(wire.FamilyEncoder, n.encoder, "add")
		n.dispatch()
		n.push(wire.FamilyEncoder, n.encoder, "mul")
		n.push(wire.FamilyEncoder, n.encoder, "") // a group without a name says nothing
		n.dispatch()
		n.pop(wire.FamilyEncoder, n.encoder)
		n.pop(wire.FamilyEncoder, n.encoder)
		n.pop(wire.FamilyEncoder, n.encoder)
		n.pop(wire.FamilyEncoder, n.encoder) // one too many, as after a loss
		n.dispatch()
	})
	run("() 250000, inner (scope) 250000, outer (scope) 250000, outer (scope) 250000", func() {
		n.encode(kernel)
		n.dispatch()
		outer := n.Now
		n.Opens("outer", 0)
		n.Now += 10
		inner := n.Now
		n.Opens("inner", 1)
		n.dispatch()
		n.Scope("inner", inner)
		n.dispatch()
		again := n.Now
		n.Opens("again", 1)
		n.Now += 10
		n.Scope("again", again) // nothing is encoded in it, but it ends one run
		n.dispatch()
		n.Scope("outer", outer)
	})
	want = append(want, "fill (debug group) 1000000")
	n.begin()
	n.encoder = n.NewObject()
	n.Call(wire.FamilyCommandBuffer, "blitCommandEncoder", n.buffer, uint64(n.encoder), 400, nil)
	n.push(wire.FamilyEncoder, n.encoder, "fill")
	n.Call(wire.FamilyEncoder, "fillBuffer:range:value:", n.encoder, 4096, 100, &wire.More{})
	n.Call(wire.FamilyEncoder, "fillBuffer:range:value:", n.encoder, 4096, 100, &wire.More{})
	n.pop(wire.FamilyEncoder, n.encoder)
	n.commit()
	want = append(want, "() 1000000")
	n.begin()
	n.encoder = n.NewObject()
	n.Call(wire.FamilyCommandBuffer, "blitCommandEncoder", n.buffer, uint64(n.encoder), 400, nil)
	n.push(wire.FamilyEncoder, n.encoder, "fill")
	n.Call(wire.FamilyEncoder, "fillBuffer:range:value:", n.encoder, 4096, 100, &wire.More{})
	n.pop(wire.FamilyEncoder, n.encoder)
	n.Call(wire.FamilyEncoder, "fillBuffer:range:value:", n.encoder, 4096, 100, &wire.More{})
	n.commit()
	trace := script.load(t)
	checkShares(t, trace, want, operationOf)
	sum := kernels.NewSum(trace)
	ks := sum.Kernels()
	if len(ks) != 2 || ks[0].Name != "kernel" {
		t.Fatalf("kernels: %+v", ks)
	}
	var of, all analyze.Nanos
	for _, o := range ks[0].Operations {
		of += o.GPU
		if measured := o.Source == kernels.Measured; measured != (o.Name == "step" || o.Name == "layer" ||
			o.Name == "tuned kernel") {
			t.Errorf("%q is measured: %v", o.Name, measured)
		}
	}
	for _, o := range sum.Operations() {
		all += o.GPU
	}
	if of != ks[0].GPU || all != ks[0].GPU+ks[1].GPU {
		t.Errorf("operations of a kernel take %d, of all %d; the kernels %d and %d", of, all, ks[0].GPU, ks[1].GPU)
	}
}

// A debug build of MLX adds the name of each primitive to the label of its command buffer before it encodes the
// primitive. So a dispatch is named after the latest addition, not after all of them. A label that was replaced, or
// completed before anything was encoded, is the name of all dispatches.
func TestLabelsThatGrow(t *testing.T) {
	script := newScript(t)
	n := &named{Thread: script.main()}
	kernel := n.NewPipeline("kernel")
	var want []string
	run := func(says string, labels ...string) { // a dispatch after each; one that is empty makes none
		want = append(want, says)
		n.begin()
		n.encode(kernel)
		for _, l := range labels {
			if l = strings.TrimSuffix(l, "!"); l != "" {
				n.label(wire.FamilyCommandBuffer, n.buffer, l)
			}
			n.dispatch()
		}
		n.commit()
	}
	run("Add (command buffer label) 500000, Multiply (command buffer label) 500000", "Add", "AddMultiply")
	run("Add (command buffer label) 250000, Add (command buffer label) 250000, Multiply (command buffer label) 250000, "+
		"Add (command buffer label) 250000",
		"Add", "AddAdd", "AddAddMultiply", "AddAddMultiplyAdd")
	run("second (command buffer label) 500000, second (command buffer label) 500000", "first", "second")
	run("same (command buffer label) 1000000", "same", "same")
	long := strings.Repeat("Matmul", 1000)[:wire.MaxFactText]
	run("Matmul (command buffer label) 500000, () 500000", "Matmul", long)

	want = append(want, "ReshapeMultiply (command buffer label) 1000000")
	n.begin()
	n.encode(kernel)
	n.label(wire.FamilyCommandBuffer, n.buffer, "Reshape")
	n.label(wire.FamilyCommandBuffer, n.buffer, "ReshapeMultiply")
	n.dispatch()
	n.commit()

	want = append(want, "Add (command buffer label) 500000, Multiply (command buffer label) 500000")
	n.begin()
	n.encode(kernel)
	n.label(wire.FamilyCommandBuffer, n.buffer, "Add")
	n.dispatch()
	n.label(wire.FamilyCommandBuffer, n.buffer, "AddReshape") // encodes nothing
	n.label(wire.FamilyCommandBuffer, n.buffer, "AddReshapeMultiply")
	n.dispatch()
	n.commit()
	checkShares(t, script.load(t), want, operationOf)
}
