package kernels

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Fusion is a sequence of kernels that a thread nearly always dispatches directly one after another, so that one
// kernel could do the work of all.
type Fusion struct {
	Kernels []string      // in the order of dispatch
	Count   int           // how often the sequence occurred
	Share   float64       // the smallest share of a kernel's dispatches that were followed by the next kernel
	Across  int           // total number of boundaries of command buffers in between
	GPU     analyze.Nanos // mean GPU time of the sequence
	// estimated saving: the launch costs at the Across boundaries, and the encoding of each dispatch that is no
	// longer needed
	Saved analyze.Nanos
}

// LaunchCosts are the costs that fusing kernels saves, in thread time.
type LaunchCosts struct {
	Launch   analyze.Nanos // to submit one command buffer and to be notified of its completion
	Dispatch analyze.Nanos // to encode one dispatch
}

type pair struct{ first, second string }

// pairs counts how often one kernel directly follows another on the same thread.
type pairs struct {
	count, across map[pair]int
	apart         map[pair]bool // one has so many more threads that one kernel cannot do both
	order         []pair        // in the order of their first occurrence
}

// Fusions finds sequences of kernels that could be fused, sorted by the time that fusing would save, largest first.
// `list` has the trace's kernels with their GPU times.
func Fusions(t *analyze.Trace, list []*Kernel, costs LaunchCosts) []Fusion {
	mean := map[string]analyze.Nanos{}
	count := map[string]int{}
	for _, k := range list {
		if n := count[k.Name] + k.Dispatches; k.Dispatches > 0 {
			mean[k.Name] = (mean[k.Name]*analyze.Nanos(count[k.Name]) + k.GPU) / analyze.Nanos(n)
			count[k.Name] = n
		}
	}
	found := backToBack(t)
	// pairs inside one command buffer come first, because they are easier to fuse
	slices.SortStableFunc(found.order, func(a, b pair) int { return cmp.Compare(found.across[a], found.across[b]) })
	next, after := map[string]string{}, map[string]bool{}
	var single, linked []pair
	for _, p := range found.order {
		n := float64(found.count[p])
		if n < policy.FusionPairs || n < policy.FusionShare*float64(count[p.first]) ||
			mean[p.first]+mean[p.second] >= policy.FusionShort ||
			found.apart[p] {
			continue
		}
		switch {
		case n < policy.FusionShare*float64(count[p.second]): // the second kernel also follows other kernels
			single = append(single, p)
		case next[p.first] == "" && !after[p.second] && !leads(next, p.second, p.first):
			next[p.first], after[p.second] = p.second, true
			linked = append(linked, p)
		}
	}
	var chains [][]string
	for _, p := range linked {
		if !after[p.first] { // it begins a chain
			chain := []string{p.first}
			for n := next[p.first]; n != ""; n = next[n] {
				chain = append(chain, n)
			}
			chains = append(chains, chain)
		}
	}
	for _, p := range single {
		chains = append(chains, []string{p.first, p.second})
	}
	var fusions []Fusion
	for _, chain := range chains {
		f := Fusion{Kernels: chain, Share: 1, GPU: mean[chain[0]], Count: count[chain[0]]}
		for i, second := range chain[1:] {
			p := pair{chain[i], second}
			n := found.count[p]
			f.Count, f.Share = min(f.Count, n), min(f.Share, float64(n)/float64(count[p.first]))
			f.Across += found.across[p]
			f.GPU += mean[second]
			f.Saved += costs.Launch*analyze.Nanos(found.across[p]) + costs.Dispatch*analyze.Nanos(n)
		}
		fusions = append(fusions, f)
	}
	slices.SortStableFunc(fusions, func(a, b Fusion) int {
		return cmp.Or(cmp.Compare(b.Saved, a.Saved), cmp.Compare(b.Count, a.Count))
	})
	return fusions
}

// leads reports whether the chain of kernels from `from` on contains `to`. A link back from `to` would then close a
// circle.
func leads(next map[string]string, from, to string) bool {
	for ; from != ""; from = next[from] {
		if from == to {
			return true
		}
	}
	return false
}

func backToBack(t *analyze.Trace) *pairs {
	found := &pairs{count: map[pair]int{}, across: map[pair]int{}, apart: map[pair]bool{}}
	waits := waitsOf(t)
	last, lastBuffer := map[*analyze.Thread]Share{}, map[*analyze.Thread]*analyze.CommandBuffer{}
	var did []Share
	for b := range t.Buffers() {
		for i := range b.Encoders {
			e := &b.Encoders[i]
			thread := e.Created.Thread
			did = inEncoder(did[:0], b, e)
			for _, s := range did {
				if s.Dispatches == 0 || s.Kernel == Unknown || s.Kernel == Opaque {
					delete(last, thread)
					continue
				}
				if lastBuffer[thread] != b && waits.between(thread, lastBuffer[thread], b) {
					delete(last, thread) // the program waited for the result in between
				}
				if before, known := last[thread]; known && before.Kernel != s.Kernel {
					p := pair{before.Kernel, s.Kernel}
					if found.count[p] == 0 {
						found.order = append(found.order, p)
					}
					found.count[p]++
					if lastBuffer[thread] != b {
						found.across[p]++
					}
					mine, its := s.Threads/uint64(s.Dispatches), before.Threads/uint64(before.Dispatches)
					if mine*policy.FusionGathers <= its || its*policy.FusionSpreads <= mine {
						found.apart[p] = true
					}
				}
				last[thread], lastBuffer[thread] = s, b
			}
		}
	}
	return found
}

// waitTimes has the times at which each thread began to wait for the GPU, in ascending order.
type waitTimes map[*analyze.Thread][]analyze.Nanos

func waitsOf(t *analyze.Trace) waitTimes {
	w := waitTimes{}
	for i := range t.Waits { // they are sorted
		w[t.Waits[i].Thread] = append(w[t.Waits[i].Thread], t.Waits[i].Begin)
	}
	return w
}

// between reports whether the thread began to wait for the GPU after the commit of the first command buffer and
// before the commit of the second.
func (w waitTimes) between(t *analyze.Thread, first, second *analyze.CommandBuffer) bool {
	if first == nil {
		return false
	}
	i, _ := slices.BinarySearch(w[t], first.Committed.Begin)
	return i < len(w[t]) && w[t][i] < second.Committed.Begin
}

// AddFusions adds `window`, the fusions of the next range of a run, to all. Counts and times of the range are
// multiplied by `scale`.
func AddFusions(all, window []Fusion, scale float64) []Fusion {
	for _, f := range window {
		f.Count, f.Across, f.Saved = int(float64(f.Count)*scale), int(float64(f.Across)*scale),
			analyze.Nanos(float64(f.Saved)*scale)
		i := slices.IndexFunc(all, func(o Fusion) bool { return slices.Equal(o.Kernels, f.Kernels) })
		if i < 0 {
			all = append(all, f)
			continue
		}
		all[i].Count, all[i].Across, all[i].Saved = all[i].Count+f.Count, all[i].Across+f.Across, all[i].Saved+f.Saved
		all[i].Share = min(all[i].Share, f.Share)
	}
	slices.SortStableFunc(all, func(a, b Fusion) int { return cmp.Compare(b.Saved, a.Saved) })
	return all
}
