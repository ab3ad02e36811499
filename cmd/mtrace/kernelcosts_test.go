package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/fixtures/softmetal/truth"
)

// A kernelCost is a kernel's GPU time as the software Metal measured it, dispatch by dispatch.
type kernelCost struct {
	dispatches int
	gpu        analyze.Nanos
}

// A kernelRow is a row of the table of kernels.
type kernelRow struct{ name, variant string }

// pipelinesOfTruth returns the software Metal's pipeline states by the name of their function, in the order of
// creation. A call by the program may create one through another method; the result of both is the same object.
func pipelinesOfTruth(file *truth.File) map[string][]truth.ObjectID {
	names := map[truth.ObjectID]string{}
	for _, c := range file.Calls {
		if strings.HasPrefix(c.Selector, "newComputePipelineState") && c.Result != 0 && len(c.Words) > 0 {
			if name := file.Text(c.Words[0]); name != "" {
				names[c.Result] = name
			}
		}
	}
	by := map[string][]truth.ObjectID{}
	for _, pipeline := range slices.Sorted(maps.Keys(names)) {
		by[names[pipeline]] = append(by[names[pipeline]], pipeline)
	}
	return by
}

// costsOfKernels returns the true cost of each row of the table of kernels. The trace and the truth number pipeline
// states differently, but both list the pipeline states of a function in the order of creation.
func costsOfKernels(model *analyze.Trace, file *truth.File) map[kernelRow]kernelCost {
	inTrace := map[string][]*analyze.Pipeline{}
	for _, p := range model.Pipelines {
		inTrace[p.Kernel] = append(inTrace[p.Kernel], p)
	}
	row := map[truth.ObjectID]kernelRow{}
	for name, pipelines := range pipelinesOfTruth(file) {
		same := inTrace[name]
		slices.SortFunc(same, func(a, b *analyze.Pipeline) int { return cmp.Compare(a.ID, b.ID) })
		for i, pipeline := range pipelines {
			if i < len(same) {
				row[pipeline] = kernelRow{name, same[i].Variant}
			}
		}
	}
	costs := map[kernelRow]kernelCost{}
	for _, d := range file.Dispatches {
		if d.GPUEnd != 0 {
			k := costs[row[d.Pipeline]]
			costs[row[d.Pipeline]] = kernelCost{k.dispatches + 1, k.gpu + analyze.Nanos(d.GPUEnd-d.GPUStart)}
		}
	}
	return costs
}

// checkKernelCosts compares the table of kernels with the costs that the software Metal measured. The cost of at least
// 90% of the kernels must be within 10% or within the interval that the table gives, and no kernel may have a better
// rank than one that took more.
func checkKernelCosts(t *testing.T, model *analyze.Trace, file *truth.File) {
	t.Helper()
	type compared struct {
		*kernels.Kernel
		truth analyze.Nanos
	}
	var all []compared
	right, ranked := 0, 0
	costs := costsOfKernels(model, file)
	for _, k := range kernels.Summarize(model) {
		cost, known := costs[kernelRow{k.Name, k.Variant}]
		if !known || k.Dispatches == 0 {
			continue // copies, and kernels of indirect command buffers
		}
		if k.Dispatches != cost.dispatches {
			t.Errorf("%s %s: %d dispatches, the software Metal ran %d", k.Name, k.Variant, k.Dispatches, cost.dispatches)
		}
		verdict := "wrong"
		near := 10*k.GPU >= 9*cost.gpu && 10*k.GPU <= 11*cost.gpu
		if k.Low <= cost.gpu && cost.gpu <= k.High || near && k.Rank > 0 {
			verdict = "right"
			right++
		}
		if k.Rank > 0 {
			ranked++
		}
		all = append(all, compared{k, cost.gpu})
		t.Logf("%-5s %-50s %5d× %9d ns, the table: %9d (%d–%d) %s, rank %d", verdict,
			fmt.Sprintf("%.50s", k.Name+" "+k.Variant), k.Dispatches, cost.gpu, k.GPU, k.Low, k.High, k.Source, k.Rank)
	}
	if len(all) == 0 {
		t.Fatal("no kernel could be compared")
	}
	for _, a := range all {
		for _, b := range all {
			if a.Rank > 0 && b.Rank > a.Rank && b.truth > a.truth {
				t.Errorf("%s (rank %d) took %d ns, %s (rank %d) %d ns", a.Name, a.Rank, a.truth, b.Name, b.Rank, b.truth)
			}
		}
	}
	share := 100 * right / len(all)
	t.Logf("%d of %d kernels (%d%%) within 10%% or within their interval; %d are ranked", right, len(all), share, ranked)
	if share < 90 {
		t.Errorf("that is fewer than 90%%")
	}
}
