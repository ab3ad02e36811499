package path

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A Range is the result for one analysed range of a long run. The analysed range is a sample of a longer range, so its
// times are multiplied by Scale.
type Range struct {
	Waits
	Scale float64 // length of the longer range, divided by the length of this one
}

func (w *Range) scaled(n analyze.Nanos) analyze.Nanos { return evidence.Scaled(n, w.Scale) }

// Sum adds up critical paths and chains of several ranges, each multiplied by its scale.
func Sum(ranges []Range) Waits { return Waits{paths(ranges), chainsOf(ranges)} }

// paths adds up the critical paths of the ranges, by kind of work and thread.
func paths(ranges []Range) (sum Path) {
	type key struct {
		what   string
		thread uint64
	}
	at := map[key]int{}
	for i := range ranges {
		w := &ranges[i]
		sum.Length += w.scaled(w.Waits.Path.Length)
		sum.Steps += w.Waits.Path.Steps
		for _, p := range w.Waits.Path.Parts {
			k := key{p.What, id(p.Thread)}
			n, known := at[k]
			if !known {
				n = len(sum.Parts)
				at[k] = n
				sum.Parts = append(sum.Parts, Part{What: p.What, Thread: p.Thread})
			}
			sum.Parts[n].Time += w.scaled(p.Time)
		}
	}
	slices.SortStableFunc(sum.Parts, func(x, y Part) int { return cmp.Compare(y.Time, x.Time) })
	return sum
}

// chainsOf adds up the chains of waits of the ranges. Two chains are equal if their threads and their roots are equal.
func chainsOf(ranges []Range) (all []Chain) {
	for i := range ranges {
		w := &ranges[i]
		for _, c := range w.Waits.Chains {
			same := func(o Chain) bool {
				return o.Root == c.Root && slices.EqualFunc(o.Threads, c.Threads,
					func(x, y *analyze.Thread) bool { return x.ID == y.ID })
			}
			n := slices.IndexFunc(all, same)
			if n < 0 {
				n = len(all)
				all = append(all, Chain{Threads: c.Threads, Root: c.Root})
			}
			all[n].Time += w.scaled(c.Time)
			all[n].Waits += int(float64(c.Waits) * w.Scale)
		}
	}
	slices.SortStableFunc(all, func(x, y Chain) int { return cmp.Compare(y.Time, x.Time) })
	return all[:min(len(all), policy.MostChains)]
}
