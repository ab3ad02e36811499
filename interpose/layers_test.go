package main

import (
	"os/exec"
	"slices"
	"testing"

	"mtrace/collector/wire"
)

// Frameworks encode in the program's name: PyTorch's products are encoded by a kernel of Metal Performance Shaders,
// often inside a graph. A trace without this fact attributes their dispatches to the program. Kernels have many
// classes, and most inherit their encoding methods.
func TestLayers(t *testing.T) {
	_, client := softMetal(t)
	for _, c := range []struct {
		scenario string
		want     []string // layers as they begin, and the dispatches
	}{
		{"mps-layers", []string{"MPSMatrixSoftMax", "dispatch", "end", "dispatch", "MPSMatrixLogSoftMax", "dispatch", "end"}},
		{"mps-graph", []string{"MPSGraph", "MPSMatrixMultiplication", "dispatch", "end", "MPSMatrixMultiplication",
			"dispatch", "end", "end",
			"MPSGraph", "MPSMatrixMultiplication", "dispatch", "end", "end"}},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			r, file := traceSoft(t, exec.Command(client, c.scenario))
			p := r.traced(t)
			compareWithTruth(t, p, file)
			var got []string
			for _, e := range p.events(t) {
				switch family := e.Call.Row().Family; {
				case e.Call == wire.CallLayer:
					got = append(got, p.text(t, e.Arg))
					if kernel := e.Object == 0; kernel == (got[len(got)-1] == "MPSGraph") {
						t.Errorf("%s is reported as kind %d", got[len(got)-1], e.Object)
					}
				case family == wire.FamilyMpsKernel, family == wire.FamilyMpsGraph:
					got = append(got, "end")
				case e.Call.String() == "dispatchThreads:threadsPerThreadgroup:":
					got = append(got, "dispatch")
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("layers %v, not %v", got, c.want)
			}
		})
	}
}

// A program loads Metal Performance Shaders long after its first command buffer, as a plug-in does. A tracer that
// looked for the kernels only once, or only when a device is created, never found one. mtrace looks at every 256th
// command buffer of a thread, so a kernel that is created then is reported; a kernel created before that is reported
// once another kernel of its class is created.
func TestKernelsThatLoadLate(t *testing.T) {
	shapes := build(t, "libshapes.so", shapesCommand...)
	flags := []string{"gcc", "-O1", "-std=gnu11", "-Itestdata", "-Wno-unused-parameter", "-o", "OUT",
		"testdata/latekernels.m", shapes, "-lobjc", "-ldl"}
	library := build(t, "liblatekernels.so", append(append([]string{}, flags...), "-DLIBRARY", "-fPIC", "-shared")...)
	program := build(t, "latekernels", flags...)
	r := trace(t, exec.Command(program, library))
	if r.stdout != "EarlyKernel 600 LateKernel 300\n" || !r.state.Success() {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	p, layers, ends := r.traced(t), map[string]int{}, 0
	for _, e := range p.events(t) {
		switch {
		case e.Call == wire.CallLayer:
			layers[p.text(t, e.Arg)]++
		case e.Call.Row().Family == wire.FamilyMpsKernel:
			ends++
		}
	}
	if layers["LateKernel"] != 300 || layers["EarlyKernel"] != 0 || ends != 300 {
		t.Errorf("%v began, %d ended", layers, ends)
	}
}
