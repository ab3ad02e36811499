package insight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/memory"
	"mtrace/analyze/policy"
)

// sizes caches the texts for memory sizes with their storage modes, because a few sizes may occur in millions of
// allocations.
type sizes map[size]string

type size struct {
	bytes   uint64
	storage string
}

func (s sizes) of(a *analyze.Allocation) string {
	k := size{a.Bytes, a.Storage}
	if _, known := s[k]; !known {
		s[k] = fmt.Sprintf("%s, %s", analyze.FormatBytes(a.Bytes), a.Storage)
	}
	return s[k]
}

// allocationInLoop finds memory that is allocated again and again in a loop. Allocations from a heap do not count,
// because a heap is already a pool.
func allocationInLoop(in *Input) *Insight {
	if in.rounds.most < policy.FewestRounds {
		return skip(tooFew)
	}
	var where sites
	names := sizes{}
	seen := map[round]bool{}
	made, copied := 0, 0
	var bytes uint64
	var cost analyze.Nanos
	for i := range in.Trace.Memory.Allocations {
		a := &in.Trace.Memory.Allocations[i]
		if a.OnHeap {
			continue
		}
		r, steady := in.rounds.steady(a.Thread, a.At)
		if !steady {
			continue
		}
		seen[r] = true
		made++
		bytes += a.Bytes
		cost += a.Took
		if a.Copied {
			copied++
		}
		where.add(&analyze.Call{Thread: a.Thread, Stack: a.Stack}, a.Selector, names.of(a), 1, a.Took, a.Bytes)
	}
	rounds := in.rounds.steadyRounds(seen)
	if len(seen) < policy.AllocatingFewest || float64(len(seen)) < policy.AllocatingRounds*float64(rounds) {
		return nil
	}
	i := &Insight{Severity: Warning, Cost: cost, Where: where.most(),
		Evidence: fmt.Sprintf(
			"%d buffers, textures or heaps of %s in all were allocated in %d of %d rounds from one commit to the next, "+
				"%.1f for each; that took %s",
			made, analyze.FormatBytes(bytes), len(seen), rounds, float64(made)/float64(rounds), in.ofThreads(cost))}
	if copied > 0 {
		i.Evidence += fmt.Sprintf("; %d of the calls also copied data into them", copied)
	}
	return i
}

// growth finds memory that is allocated throughout the run and still not released at its end: perhaps a leak.
func growth(in *Input) *Insight {
	if in.rounds.most < policy.FewestRounds {
		return skip(tooFew)
	}
	begin, end := analyze.Nanos(1<<62), analyze.Nanos(0)
	// measure progress in commits and not in time, because a program that hangs for a while allocates nothing meanwhile
	var commits []analyze.Nanos
	for _, list := range in.rounds.thread {
		begin, end = min(begin, list[start(len(list))-1]), max(end, list[len(list)-1])
		commits = append(commits, list[start(len(list)):]...)
	}
	slices.Sort(commits)
	reused := map[*analyze.Process]map[uint64]int{} // the last allocation at an address
	for i := range in.Trace.Memory.Allocations {
		if a := &in.Trace.Memory.Allocations[i]; a.Address != 0 && a.Thread != nil {
			if reused[a.Thread.Process] == nil {
				reused[a.Thread.Process] = map[uint64]int{}
			}
			reused[a.Thread.Process][a.Address] = i
		}
	}
	var where sites
	names := sizes{}
	var sums [3]uint64
	var counts thirds
	var bytes uint64
	byClass := map[string]*thirds{}
	kept, made := 0, 0
	for i := range in.Trace.Memory.Allocations {
		a := &in.Trace.Memory.Allocations[i]
		if a.OnHeap || a.At <= begin || a.At >= end {
			continue
		}
		made++
		back := a.Released != 0 && a.Released <= end || a.Address != 0 && a.Thread != nil &&
			reused[a.Thread.Process][a.Address] != i
		if back {
			continue
		}
		kept++
		bytes += a.Bytes
		before, _ := slices.BinarySearch(commits, a.At)
		third := min(2, 3*before/len(commits))
		sums[third] += a.Bytes
		counts[third]++
		class := memory.Class(a.Selector)
		if byClass[class] == nil {
			byClass[class] = &thirds{}
		}
		byClass[class][third]++
		where.add(&analyze.Call{Thread: a.Thread, Stack: a.Stack}, a.Selector, names.of(a), 1, 0, a.Bytes)
	}
	inBytes := bytes >= policy.LeastGrowth && kept >= policy.FewestRounds &&
		float64(min(sums[0], sums[1], sums[2])) >= policy.GrowthThird*float64(bytes)
	inCount := kept >= policy.FewestUnreleased && float64(min(counts[0], counts[1],
		counts[2])) >= policy.GrowthThird*float64(kept)
	if !inBytes && !inCount {
		return nil
	}
	if in.Trace.Memory.Releases == 0 && in.Memory.Reused == 0 && in.Memory.Addressed == 0 && in.Memory.Samples == 0 {
		return skip("neither releases nor addresses of memory are in the trace")
	}
	i := &Insight{Severity: Info, Where: where.most(), memory: inBytes,
		Evidence: fmt.Sprintf("%d of %d allocations made after the start were not freed before the last commit: "+
			"%s, %s of it in the last third of the work",
			kept, made, analyze.FormatBytes(bytes), analyze.FormatBytes(sums[2])) + "; " + inWords(byClass, len(commits))}
	if inBytes && bytes >= policy.WarnedGrowth {
		i.Severity = Warning
	}
	if m := in.Memory; m.Samples > 0 {
		i.Evidence += fmt.Sprintf("; the device itself reported %s at most", analyze.FormatBytes(m.Device))
	}
	return i
}

// thirds counts objects that were allocated and not freed. Each element is for one third of the run's commits, in
// which these objects were allocated.
type thirds [3]int

func (t thirds) sum() int { return t[0] + t[1] + t[2] }

// inWords formats the counts for a sentence: "60 more buffers (20, 40 and 60 after each third of the work, 1.0 for each
// commit) and 2 more textures (…) are alive at the end than at the start".
func inWords(classes map[string]*thirds, commits int) string {
	var names, words []string
	for name := range classes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(classes[b].sum(), classes[a].sum()), strings.Compare(a, b))
	})
	for _, name := range names {
		n := classes[name]
		words = append(words, fmt.Sprintf("%s (%d, %d and %d after each third of the work, %.2g for each commit)",
			analyze.Plural(n.sum(), "more "+name), n[0], n[0]+n[1], n.sum(), float64(n.sum())/float64(commits)))
	}
	return strings.Join(words, " and ") + " are alive at the end than at the start"
}
