package analyze_test

import (
	"fmt"
	"slices"
	"testing"

	"mtrace/analyze/kernels"
	"mtrace/collector/wire"
)

// Kernels of one name whose libraries have different sources, or that different constants specialise, are different
// kernels. They had one row with a mean that was true for none. A kernel that is the only one of its name is shown by
// its name alone.
func TestKernelsOfOneName(t *testing.T) {
	script := newScript(t)
	n := &named{Thread: script.Thread(101, "main")}
	make := func(source, name, selector string) wire.ObjectID {
		library, function, state := n.NewObject(), n.NewObject(), n.NewObject()
		n.Call(wire.FamilyDevice, "newLibraryWithSource:options:error:", n.Device, uint64(library), 5000,
			&wire.More{X0: n.Text(source)})
		n.Call(wire.FamilyLibrary, selector, library, uint64(function), 500, &wire.More{X0: n.Text(name)})
		n.Call(wire.FamilyDevice, "newComputePipelineStateWithFunction:error:", n.Device, uint64(state), 5000,
			&wire.More{X0: n.Text(name), X2: uint64(function)})
		return state
	}
	const plain, specialised = "newFunctionWithName:", "newFunctionWithName:constantValues:error:"
	for range 3 {
		for i, state := range []wire.ObjectID{make("11aa22bb33cc44dd", "step", plain), make("55ee66ff77008899", "step",
			plain),
			make("11aa22bb33cc44dd", "only", plain)} {
			n.begin()
			n.encode(state)
			n.dispatch()
			n.Call(wire.FamilyCommandBuffer, "commit", n.buffer, 0, 1000, nil)
			n.Completes(n.buffer, 5000, int64(1+i)*1_000_000)
		}
	}
	for i, state := range []wire.ObjectID{make("11aa22bb33cc44dd", "tuned", specialised),
		make("11aa22bb33cc44dd", "tuned", specialised)} {
		n.begin()
		n.encode(state)
		n.dispatch()
		n.Call(wire.FamilyCommandBuffer, "commit", n.buffer, 0, 1000, nil)
		n.Completes(n.buffer, 5000, int64(10+i)*1_000_000)
	}
	trace := script.load(t)
	var got []string
	for _, k := range kernels.Summarize(trace) {
		got = append(got, fmt.Sprintf("%s [%s] %d of %d µs", k.Name, k.Variant, k.Dispatches, k.GPU/1000/3))
	}
	slices.Sort(got)
	want := []string{"only [11aa22bb] 3 of 3000 µs", "step [11aa22bb] 3 of 1000 µs", "step [55ee66ff] 3 of 2000 µs",
		"tuned [11aa22bb, constants 1] 1 of 3333 µs", "tuned [11aa22bb, constants 2] 1 of 3666 µs"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	costs, names := kernels.CostsOf(trace), []string(nil)
	for i := range trace.CommandBuffers {
		names = append(names, kernels.Split(&trace.CommandBuffers[i], trace.TimeRange, costs)[0].Name())
	}
	if want := []string{"step [11aa22bb]", "step [55ee66ff]", "only"}; !slices.Equal(names[:3], want) {
		t.Errorf("shares are called %q, want %q", names[:3], want)
	}
}

// Command buffers whose kernels had equal names, but other sources or constants, counted as the same work, and the
// insight "iterations differ much" reported the difference of the two kernels. A program that specialises a function
// anew for each command buffer still repeats the same work.
func TestWorkOfVariants(t *testing.T) {
	const plain, specialised = "newFunctionWithName:", "newFunctionWithName:constantValues:error:"
	const one, other = "11aa22bb33cc44dd", "55ee66ff77008899"
	type maker = func(source, selector string) wire.ObjectID // makes a pipeline state
	for name, c := range map[string]struct {
		pipelines func(make maker) func(i int) wire.ObjectID // for command buffer i
		works     int                                        // different ones
	}{
		"two sources": {func(make maker) func(i int) wire.ObjectID {
			states := []wire.ObjectID{make(one, plain), make(other, plain)}
			return func(i int) wire.ObjectID { return states[i%2] }
		}, 2},
		"two constants": {func(make maker) func(i int) wire.ObjectID {
			states := []wire.ObjectID{make(one, specialised), make(one, specialised)}
			return func(i int) wire.ObjectID { return states[i%2] }
		}, 2},
		"two constants, one after the other": {func(make maker) func(i int) wire.ObjectID {
			states := []wire.ObjectID{make(one, specialised), make(one, specialised)}
			return func(i int) wire.ObjectID { return states[i/30] }
		}, 2},
		"compiled again each time": {func(make maker) func(i int) wire.ObjectID {
			return func(int) wire.ObjectID { return make(one, plain) }
		}, 1},
		"another source each time": {func(make maker) func(i int) wire.ObjectID {
			return func(i int) wire.ObjectID { return make(fmt.Sprintf("%08d33cc44dd", i), plain) }
		}, 1},
		"specialised again each time": {func(make maker) func(i int) wire.ObjectID {
			return func(int) wire.ObjectID { return make(one, specialised) }
		}, 2}, // the first 31 variants, and the others, which are not told apart
		"one kept and one specialised again each time": {func(make maker) func(i int) wire.ObjectID {
			kept := make(one, specialised)
			return func(i int) wire.ObjectID {
				if i%2 == 0 {
					return kept
				}
				return make(one, specialised)
			}
		}, 2},
	} {
		script := newScript(t)
		n := &named{Thread: script.Thread(101, "main")}
		of := c.pipelines(func(source, selector string) wire.ObjectID {
			library, function, state := n.NewObject(), n.NewObject(), n.NewObject()
			n.Call(wire.FamilyDevice, "newLibraryWithSource:options:error:", n.Device, uint64(library), 5000,
				&wire.More{X0: n.Text(source)})
			n.Call(wire.FamilyLibrary, selector, library, uint64(function), 500, &wire.More{X0: n.Text("step")})
			n.Call(wire.FamilyDevice, "newComputePipelineStateWithFunction:error:", n.Device, uint64(state), 5000,
				&wire.More{X0: n.Text("step"), X2: uint64(function)})
			return state
		})
		for i := range 60 {
			state := of(i)
			n.begin()
			n.encode(state)
			n.dispatch()
			n.Call(wire.FamilyCommandBuffer, "commit", n.buffer, 0, 1000, nil)
			n.Completes(n.buffer, 5000, 1_000_000)
		}
		works := map[uint64]bool{}
		for b := range script.load(t).Buffers() {
			work, known := b.Work()
			if works[work] = true; !known {
				t.Fatalf("%s: the work is not known", name)
			}
		}
		if len(works) != c.works {
			t.Errorf("%s: %d different works, want %d", name, len(works), c.works)
		}
	}
}
