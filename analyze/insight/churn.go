package insight

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// newSizes finds allocations in a loop whose sizes did not occur in any earlier round. A cache that reuses freed
// memory of the same size never helps such a program. A round is the work up to a commit; it may allocate several
// buffers of one size.
func newSizes(in *Input) *Insight {
	known := map[size]round{}    // the round in which the size first occurred
	changing := map[round]bool{} // rounds that allocated a new size
	var where sites
	made, fresh := 0, 0
	least, most := uint64(1<<63), uint64(0)
	var bytes uint64
	var cost analyze.Nanos
	for i := range in.Trace.Memory.Allocations {
		a := &in.Trace.Memory.Allocations[i]
		if a.OnHeap || a.Bytes == 0 {
			continue
		}
		of := size{a.Bytes, a.Storage}
		this, steady := in.rounds.steady(a.Thread, a.At)
		first, again := known[of]
		if !again {
			known[of] = this
		}
		if !steady {
			continue
		}
		if made++; again && first != this {
			continue
		}
		fresh, changing[this] = fresh+1, true
		bytes, cost = bytes+a.Bytes, cost+a.Took
		least, most = min(least, a.Bytes), max(most, a.Bytes)
		where.add(&analyze.Call{Thread: a.Thread, Stack: a.Stack}, a.Selector, "", 1, a.Took, a.Bytes)
	}
	if made < policy.ChurnCount || of(fresh, made) < policy.NewSizes || len(changing) < policy.NewSizesRounds {
		return nil
	}
	return &Insight{Severity: in.weigh(cost), Cost: cost, Where: where.most(),
		Evidence: fmt.Sprintf("%d of %d allocations made after the start have a size that no earlier round had, "+
			"from %s to %s, %s in all: a cache that is keyed by size never has a hit; "+
			"allocating them took %s", fresh, made,
			analyze.FormatBytes(least), analyze.FormatBytes(most), analyze.FormatBytes(bytes), in.ofThreads(cost))}
}

// A released is a release of memory that the next allocation of the same size could have reused.
type released struct {
	at       analyze.Nanos
	together int // number of consecutive releases, without an allocation between them, that include this one
}

// releases are the releases of memory of one size that no allocation has reused yet.
type releases struct {
	past, future []released // before and after the time of the last takeBefore, in order of time
	moved        int        // how many releases takeBefore has moved from future to past
}

// takeBefore removes and returns the latest release before the time `at`; false if there is none. The times of
// successive calls must ascend. All calls together take time in proportion to the number of releases.
func (r *releases) takeBefore(at analyze.Nanos) (released, bool) {
	if r == nil {
		return released{}, false
	}
	n := 0
	for n < len(r.future) && r.future[n].at < at {
		n++
	}
	r.past, r.future, r.moved = append(r.past, r.future[:n]...), r.future[n:], r.moved+n
	if len(r.past) == 0 {
		return released{}, false
	}
	last := r.past[len(r.past)-1]
	r.past = r.past[:len(r.past)-1]
	return last, true
}

// remade finds allocations after memory of the same size was released: the program clears its cache in each step, has
// none, or has one that is too small, so that it releases what a later step needs.
func remade(in *Input) *Insight {
	if in.Trace.Memory.Releases == 0 {
		return nil
	}
	free := in.released()
	var where sites
	names := sizes{}
	made, again, cleared := 0, 0, 0
	var bytes uint64
	var cost analyze.Nanos
	var late lateReuse
	for i := range in.Trace.Memory.Allocations {
		a := &in.Trace.Memory.Allocations[i]
		if _, steady := in.rounds.steady(a.Thread, a.At); !steady || a.OnHeap || a.Bytes == 0 {
			continue
		}
		made++
		of := releasedSize{a.Thread.Process, size{a.Bytes, a.Storage}}
		last, there := free[of].takeBefore(a.At)
		if !there {
			continue
		}
		if ago := a.At - last.at; ago > max(policy.ChurnReuseTime, in.rounds.usual(a.Thread)) {
			late.add(a, ago, names.of(a))
			continue
		}
		again++
		if last.together >= policy.ClearedTogether {
			cleared++
		}
		bytes, cost = bytes+a.Bytes, cost+a.Took
		where.add(&analyze.Call{Thread: a.Thread, Stack: a.Stack}, a.Selector, names.of(a), 1, a.Took, a.Bytes)
	}
	if made < policy.ChurnCount {
		return nil
	}
	if of(again, made) < policy.ChurnShare {
		return late.insight(in, made)
	}
	i := &Insight{Severity: in.weigh(cost), Cost: cost, Where: where.most(),
		Evidence: fmt.Sprintf(
			"%d of %d allocations made after the start have the size of memory that was released just before, "+
				"%s in all; allocating it again took %s", again, made, analyze.FormatBytes(bytes),
			in.ofThreads(cost))}
	if of(cleared, again) >= policy.Majority.Value {
		i.Evidence += "; most of this memory was released together with other memory, as when a cache is cleared"
		i.Advice = "do not clear the memory cache in each step, but limit its size: " +
			"torch.mps.empty_cache(), mx.clear_cache() and removeAllObjects of a pool clear such a cache"
	}
	return i
}

// A lateReuse sums up allocations of sizes that the program had released some steps earlier.
type lateReuse struct {
	ago   []analyze.Nanos // for each allocation, the time since memory of the same size was released
	bytes uint64
	cost  analyze.Nanos
	sizes map[uint64]bool
	where sites
}

func (l *lateReuse) add(a *analyze.Allocation, ago analyze.Nanos, name string) {
	if l.sizes == nil {
		l.sizes = map[uint64]bool{}
	}
	l.ago, l.sizes[a.Bytes] = append(l.ago, ago), true
	l.bytes, l.cost = l.bytes+a.Bytes, l.cost+a.Took
	l.where.add(&analyze.Call{Thread: a.Thread, Stack: a.Stack}, a.Selector, name, 1, a.Took, a.Bytes)
}

// insight returns the finding about a cache that is too small, or nil. `made` is the number of all allocations made
// after the start. If only a few sizes recur, there need not be a cache: each task may allocate the same few sizes.
func (l *lateReuse) insight(in *Input, made int) *Insight {
	if of(len(l.ago), made) < policy.ChurnShare || len(l.sizes) < policy.LateSizes {
		return nil
	}
	slices.Sort(l.ago)
	return &Insight{Severity: in.weigh(l.cost), Cost: l.cost, Where: l.where.most(),
		Evidence: fmt.Sprintf("%d of %d allocations made after the start have one of %d sizes that were released "+
			"earlier, usually %s before, %s in all: a cache that is keyed by size releases memory before it is needed again; "+
			"allocating it again took %s", len(l.ago), made, len(l.sizes), l.ago[len(l.ago)/2],
			analyze.FormatBytes(l.bytes), in.ofThreads(l.cost)),
		Advice: "let the cache keep more memory; or round sizes up to a few classes, so that fewer buffers serve all steps"}
}

type releasedSize struct {
	process *analyze.Process
	size
}

// released returns the releases in the trace by process and size of the memory.
func (in *Input) released() map[releasedSize]*releases {
	type change struct {
		at   analyze.Nanos
		of   releasedSize
		free bool
	}
	var changes []change
	for i := range in.Trace.Memory.Allocations {
		a := &in.Trace.Memory.Allocations[i]
		if a.Thread == nil || a.OnHeap {
			continue
		}
		of := releasedSize{a.Thread.Process, size{a.Bytes, a.Storage}}
		changes = append(changes, change{a.At, of, false})
		if a.Released > a.At {
			changes = append(changes, change{a.Released, of, true})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	list := map[releasedSize]*releases{}
	for i := 0; i < len(changes); {
		end := i
		for end < len(changes) && changes[end].free {
			end++
		}
		for _, c := range changes[i:end] {
			if list[c.of] == nil {
				list[c.of] = &releases{}
			}
			list[c.of].future = append(list[c.of].future, released{c.at, end - i})
		}
		i = end + 1
	}
	return list
}
