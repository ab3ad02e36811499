package insight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// residency finds programs that change residency sets in each step, or for which these changes take long.
func residency(in *Input) *Insight {
	type call struct {
		selector string
		count    int64
		took     analyze.Nanos
	}
	var calls []call
	var took analyze.Nanos
	most := int64(0)
	for _, c := range in.Trace.Calls {
		if c.Effect != wire.EffectResides || c.Count == 0 {
			continue
		}
		var own analyze.Nanos
		for _, n := range c.Exclusive {
			own += n
		}
		calls = append(calls, call{c.Selector, c.Count, own})
		took += own
		most = max(most, c.Count)
	}
	buffers := len(in.Trace.CommandBuffers)
	loop := most >= int64(policy.FewestOccurrences.Count()) && float64(most) >= policy.ResidencyChanges*float64(buffers)
	if !loop && float64(took) < policy.ResidencyShare*float64(in.threadTime()) || len(calls) == 0 || buffers == 0 {
		return nil
	}
	slices.SortStableFunc(calls, func(a, b call) int {
		return cmp.Or(cmp.Compare(b.took, a.took), strings.Compare(a.selector, b.selector))
	})
	var each []string
	for _, c := range calls[:min(len(calls), policy.NamedSites)] {
		each = append(each, fmt.Sprintf("%s %d times, %s", c.selector, c.count, c.took))
	}
	i := &Insight{Severity: in.weigh(took), Cost: took,
		Evidence: fmt.Sprintf("changing residency sets took %s: %s; the run has %s", in.ofThreads(took),
			strings.Join(each, ", "), analyze.Plural(buffers, "command buffer"))}
	if loop {
		i.Evidence += ", so the loop changes them"
	}
	return i
}

// A late is a command buffer that may have started late on the GPU.
type late struct {
	buffer *analyze.CommandBuffer
	delay  analyze.Nanos // from its commit or the end of the previous GPU work, whichever is later, to its start
}

// startDelays calls `use` for each command buffer, in the order in which they start on the GPU. `delay` is the time
// to the start from the commit or, if later, from the end of the previous work. `rested` is how long the GPU had been
// idle at the commit.
func startDelays(t *analyze.Trace, use func(b *analyze.CommandBuffer, delay, rested analyze.Nanos)) {
	var list []*analyze.CommandBuffer
	for b := range t.Buffers() {
		if b.GPU.Known() && b.Committed.Known() && b.Queue != nil {
			list = append(list, b)
		}
	}
	slices.SortStableFunc(list, func(a, b *analyze.CommandBuffer) int { return cmp.Compare(a.GPU.Begin, b.GPU.Begin) })
	free := map[*analyze.Device]analyze.Nanos{}
	for _, b := range list {
		last, rested := free[b.Queue.Device], analyze.Nanos(0)
		if last > 0 {
			rested = max(0, b.Committed.Begin-last)
		}
		use(b, max(0, b.GPU.Begin-max(b.Committed.Begin, last)), rested)
		free[b.Queue.Device] = max(last, b.GPU.End)
	}
}

// lateAfter finds command buffers that start late after a certain event, such as a pause. `why` reports whether a
// command buffer follows that event. lateAfter returns the late ones, the median delay without the event (usual) and
// the median delay of the late ones (middle). It returns none if too few are late or if their delays vary too much.
func lateAfter(t *analyze.Trace, why func(b *analyze.CommandBuffer, rested analyze.Nanos) bool) (found []late,
	usual, middle analyze.Nanos) {
	var after []late
	var others []analyze.Nanos
	startDelays(t, func(b *analyze.CommandBuffer, delay, rested analyze.Nanos) {
		if why(b, rested) {
			after = append(after, late{b, delay})
		} else {
			others = append(others, delay)
		}
	})
	if len(others) < policy.FewestOccurrences.Count() || len(after) < policy.LateStarts {
		return nil, 0, 0
	}
	slices.Sort(others)
	usual = others[len(others)/2]
	high := others[len(others)*95/100]
	var delays []analyze.Nanos
	for _, l := range after {
		if float64(l.delay) >= policy.LateStart*float64(usual) && l.delay >= usual+policy.LateStartAtLeast &&
			l.delay > high {
			found = append(found, l)
			delays = append(delays, l.delay)
		}
	}
	if len(found) < policy.LateStarts || of(len(found), len(after)) < policy.InsightMajority {
		return nil, 0, 0
	}
	slices.Sort(delays)
	low, high := delays[len(delays)/4], delays[len(delays)*3/4]
	if float64(high) > policy.LateSpread*float64(low) {
		return nil, 0, 0
	}
	return found, usual, delays[len(delays)/2]
}

// lateInsight returns the insight for the late command buffers in `found`. `after` is a clause that describes them,
// such as "come after the GPU was idle".
func (in *Input) lateInsight(found []late, usual, middle analyze.Nanos, after string) *Insight {
	var where sites
	var cost analyze.Nanos
	for _, l := range found {
		cost += l.delay - usual
		where.add(&l.buffer.Committed, "commit", name(l.buffer), 1, l.delay-usual, 0)
	}
	return &Insight{Severity: in.weigh(cost), Cost: cost, Where: where.most(),
		Evidence: fmt.Sprintf(
			"%[1]s that %[4]s took %[2]s from the commit to the start on the GPU, and others %[3]s: %[5]s longer together",
			analyze.Plural(len(found), "command buffer"), middle, usual, after, in.ofThreads(cost))}
}

// commitAfterIdle finds command buffers that start late after a pause of the GPU, because the system must make their
// memory resident again.
func commitAfterIdle(in *Input) *Insight {
	found, usual, middle := lateAfter(in.Trace, func(_ *analyze.CommandBuffer, rested analyze.Nanos) bool {
		return rested >= policy.LongIdle
	})
	if len(found) == 0 {
		return nil
	}
	return in.lateInsight(found, usual, middle, fmt.Sprintf("come after the GPU was idle for %v or longer",
		policy.LongIdle))
}

// wiring finds command buffers that start late because they are the first to use a large allocation. The system wires
// memory (makes it resident) at its first use.
func wiring(in *Input) *Insight {
	type made struct {
		at    analyze.Nanos
		bytes uint64
	}
	large := map[*analyze.Process][]made{}
	for i := range in.Trace.Memory.Allocations {
		if a := &in.Trace.Memory.Allocations[i]; a.Bytes >= policy.LargeAllocation && a.Thread != nil && !a.OnHeap {
			large[a.Thread.Process] = append(large[a.Thread.Process], made{a.At, a.Bytes})
		}
	}
	if len(large) == 0 {
		return nil
	}
	var bytes uint64
	next := map[*analyze.Process]int{}
	found, usual, middle := lateAfter(in.Trace, func(b *analyze.CommandBuffer, _ analyze.Nanos) bool {
		list, n := large[b.Process], next[b.Process]
		first := n
		for n < len(list) && list[n].at < b.Committed.Begin {
			bytes += list[n].bytes
			n++
		}
		next[b.Process] = n
		return n > first
	})
	if len(found) == 0 {
		return nil
	}
	return in.lateInsight(found, usual, middle, fmt.Sprintf(
		"are the first after an allocation of %s or more (%s in all)",
		analyze.FormatBytes(policy.LargeAllocation), analyze.FormatBytes(bytes)))
}
