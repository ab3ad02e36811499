package insight

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A humps describes durations that form two groups, a fast and a slow one.
type humps struct {
	short, long           analyze.Nanos // the median durations of the fast and of the slow group
	shortCount, longCount int
	border                analyze.Nanos // the shortest of the longer durations
}

// twoHumps divides durations into a fast and a slow group; `two` is false if there is only one group, or no clear gap
// between two. The division minimizes the variance of the logarithms within the groups. It sorts the list.
func twoHumps(list []analyze.Nanos) (h humps, two bool) {
	n := len(list)
	if n < policy.HumpValues {
		return h, false
	}
	slices.Sort(list)
	logs := make([]float64, n)
	sum, squares := 0.0, 0.0
	for i, d := range list {
		logs[i] = math.Log(float64(max(1, d)))
		sum, squares = sum+logs[i], squares+logs[i]*logs[i]
	}
	whole := squares - sum*sum/float64(n)
	least := int(math.Ceil(policy.HumpSmallerShare * float64(n)))
	left, cut, between := 0.0, 0, 0.0
	for i := range n {
		if i >= least && n-i >= least {
			a, b := float64(i), float64(n-i)
			difference := left/a - (sum-left)/b
			if v := a * b / float64(n) * difference * difference; v > between {
				cut, between = i, v
			}
		}
		left += logs[i]
	}
	if cut == 0 || whole <= 0 || between < policy.HumpExplainedVariance*whole {
		return h, false
	}
	h = humps{list[cut/2], list[(cut+n)/2], cut, n - cut, list[cut]}
	if float64(h.long) < policy.HumpRatio*float64(h.short) {
		return h, false
	}
	// the gap between the groups is clear if the middle of the interval between their two medians (on a logarithmic
	// scale) is nearly empty
	from, way := logs[cut/2], logs[(cut+n)/2]-logs[cut/2]
	first, _ := slices.BinarySearch(logs, from+way*(1-policy.HumpGap)/2)
	last, _ := slices.BinarySearch(logs, from+way*(1+policy.HumpGap)/2)
	return h, float64(last-first) <= policy.HumpGapShare*float64(n)
}

// populations finds kernels whose GPU times form two groups, so that a single mean is misleading. It uses only
// command buffers with a single kernel that did not fail, because only their times are the kernel's.
func populations(in *Input) *Insight {
	type sample struct {
		took    analyze.Nanos
		threads uint64
	}
	by := map[*analyze.Pipeline][]sample{}
	named := map[[2]string][]*analyze.Pipeline{}
	var order [][2]string
	for b := range in.Trace.Buffers() {
		p, count, threads := oneKernel(b)
		if p == nil || !b.GPU.Known() || b.Failed() {
			continue
		}
		if by[p] == nil {
			name := [2]string{cmp.Or(p.Kernel, p.Label), p.Variant}
			if named[name] == nil {
				order = append(order, name)
			}
			named[name] = append(named[name], p)
		}
		by[p] = append(by[p], sample{b.Took(b.GPU) / analyze.Nanos(count), threads / uint64(count)})
	}
	var best *Insight
	var bestTime analyze.Nanos
	more := 0
	for _, name := range order {
		var times []analyze.Nanos
		var all analyze.Nanos
		for _, p := range named[name] {
			for _, s := range by[p] {
				times = append(times, s.took)
				all += s.took
			}
		}
		h, two := twoHumps(times)
		if !two {
			continue
		}
		if more++; best != nil && all <= bestTime {
			continue
		}
		var sizes [2]map[uint64]bool
		sizes[0], sizes[1] = map[uint64]bool{}, map[uint64]bool{}
		pipelines := [2]map[*analyze.Pipeline]bool{{}, {}}
		for _, p := range named[name] {
			for _, s := range by[p] {
				side := 0
				if s.took >= h.border {
					side = 1
				}
				sizes[side][s.threads], pipelines[side][p] = true, true
			}
		}
		bestTime = all
		best = &Insight{Severity: Info, Evidence: fmt.Sprintf("the times of kernel %s on the GPU have two humps: "+
			"%d dispatches take about %s, and %d about %s; %s", name[0], h.shortCount, h.short, h.longCount, h.long,
			apartBy(pipelines, sizes, 2*(len(pipelines[0])+len(pipelines[1])) <= len(times)))}
	}
	if more > 1 {
		best.Evidence += fmt.Sprintf("; the times of %s have two humps, too", analyze.Plural(more-1, "more kernel"))
	}
	return best
}

// apartBy says in words how the dispatches of the fast and the slow group differ apart from their times, for example
// in their thread counts. repeated tells whether the pipeline states were used repeatedly. If each dispatch has a new
// one, the two groups have no common one in any case.
func apartBy(pipelines [2]map[*analyze.Pipeline]bool, sizes [2]map[uint64]bool, repeated bool) string {
	switch {
	case repeated && disjoint(pipelines):
		return "the two are different pipeline states: other sources, constants or options"
	case disjoint(sizes):
		return "the two have different numbers of threads"
	}
	if !repeated {
		return "the program makes a new pipeline state for nearly every one, and all have the same numbers of threads: " +
			"their constants, their input, or the GPU's clock, differs"
	}
	return "both have the same pipeline state and the same numbers of threads: their input, or the GPU's clock, differs"
}

// disjoint reports whether the two sets have no common element.
func disjoint[K comparable](sides [2]map[K]bool) bool {
	for k := range sides[0] {
		if sides[1][k] {
			return false
		}
	}
	return true
}

// oneKernel returns the only pipeline state of a command buffer with the numbers of its dispatches and GPU threads.
// It returns nil if the command buffer has several pipeline states, copies, or a pipeline state without a name.
func oneKernel(b *analyze.CommandBuffer) (one *analyze.Pipeline, count int, threads uint64) {
	for i := range b.Encoders {
		if b.Encoders[i].Copies > 0 {
			return nil, 0, 0
		}
		for d := range b.Encoders[i].Runs() {
			if d.Pipeline == nil || one != nil && d.Pipeline != one {
				return nil, 0, 0
			}
			one, count, threads = d.Pipeline, count+d.Count, threads+d.Threads
		}
	}
	if one != nil && cmp.Or(one.Kernel, one.Label) == "" {
		return nil, 0, 0
	}
	return one, count, threads
}
