package kernels

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// A Fusion is a pair of kernels that a thread dispatches back to back nearly always.
type Fusion struct {
	First, Second string
	Count         int           // times that Second came right after First
	Share         float64       // of the dispatches of First that were followed by Second
	Across        int           // of Count, times that they were in different command buffers
	GPU           analyze.Nanos // mean time of one First and one Second together
	Saved         analyze.Nanos // launch time that fusing them would save: that of one command buffer for each in Across
}

const (
	fusionCount = 10                     // fewer pairs may be chance
	fusionShare = 0.8                    // "nearly always"
	fusionShort = analyze.Nanos(500_000) // of longer kernels the launch is no matter
)

// Fusions finds the candidates, the most frequent first. launch is the time it takes to hand over one command buffer and hear back.
func Fusions(t *analyze.Trace, list []*Kernel, launch analyze.Nanos) []Fusion {
	mean := map[string]analyze.Nanos{}
	count := map[string]int{}
	for _, k := range list {
		if k.Dispatches > 0 {
			mean[k.Name], count[k.Name] = k.GPU/analyze.Nanos(k.Dispatches), k.Dispatches
		}
	}
	type pair struct{ first, second string }
	pairs, across := map[pair]int{}, map[pair]int{}
	waits := waitsOf(t)
	last, lastBuffer := map[*analyze.Thread]string{}, map[*analyze.Thread]*analyze.CommandBuffer{}
	for _, b := range t.CommandBuffers {
		for i := range b.Encoders {
			e := &b.Encoders[i]
			thread := e.Created.Thread
			for _, s := range inEncoder(e) {
				if s.Dispatches == 0 || s.Kernel == Unknown {
					delete(last, thread)
					continue
				}
				if lastBuffer[thread] != b && waits.between(thread, lastBuffer[thread], b) {
					delete(last, thread) // the program looked at the result in between
				}
				if before, known := last[thread]; known && before != s.Kernel {
					pairs[pair{before, s.Kernel}]++
					if lastBuffer[thread] != b {
						across[pair{before, s.Kernel}]++
					}
				}
				last[thread], lastBuffer[thread] = s.Kernel, b
			}
		}
	}
	var found []Fusion
	for p, n := range pairs {
		f := Fusion{First: p.first, Second: p.second, Count: n, Share: float64(n) / float64(count[p.first]), Across: across[p],
			GPU: mean[p.first] + mean[p.second], Saved: launch * analyze.Nanos(across[p])}
		if n >= fusionCount && f.Share >= fusionShare && f.GPU < fusionShort {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b Fusion) int {
		return cmp.Or(cmp.Compare(b.Saved, a.Saved), cmp.Compare(b.Count, a.Count), cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
	})
	return found
}

// waitTimes is when each thread began to wait for the GPU, ascending.
type waitTimes map[*analyze.Thread][]analyze.Nanos

func waitsOf(t *analyze.Trace) waitTimes {
	w := waitTimes{}
	for i := range t.Waits { // they are sorted
		w[t.Waits[i].Thread] = append(w[t.Waits[i].Thread], t.Waits[i].Begin)
	}
	return w
}

// between says whether a thread began to wait after it committed one command buffer and before it committed the next.
func (w waitTimes) between(t *analyze.Thread, first, second *analyze.CommandBuffer) bool {
	if first == nil {
		return false
	}
	i, _ := slices.BinarySearch(w[t], first.Committed.Begin)
	return i < len(w[t]) && w[t][i] < second.Committed.Begin
}
