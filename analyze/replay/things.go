package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/change"
	"mtrace/analyze/replay/program"
)

// The kinds of items for which the report predicts the gain if they take less time. They are part of flags and JSON.
const (
	KindKernel = "kernel" // the kernel's share of the command buffers' GPU times
	KindCall   = "call"   // the call's own time; calls are named by selector
	// The time for which the lock keeps other threads waiting. The holder's own work takes as long as before.
	KindLock   = "lock"
	KindThread = "thread" // the thread's own time outside of Metal calls
	// The number of rounds that a thread starts before it waits for the first of them. A round is the thread's work
	// from one wait for the GPU to the next.
	KindInFlight = "in-flight"
	KindMerge    = "merge" // number of command buffers merged into one
)

// A thing is an item of the program, such as a kernel, for which the replay can predict the gain if the item becomes
// faster.
type thing struct {
	kind, name string
	number     int32         // its number among items of its kind; for KindInFlight and KindMerge the count itself
	took       analyze.Nanos // the item's total time in the program, as far as known
}

// things returns the kernels, calls, locks and threads that the program's time is spent on, of each kind the longest
// first.
func things(p *program.Program) (all []thing) {
	add := func(kind string, names []string, took []analyze.Nanos) {
		var list []thing
		for i, name := range names {
			if took[i] > 0 {
				list = append(list, thing{kind, name, int32(i), took[i]})
			}
		}
		slices.SortStableFunc(list, func(x, y thing) int { return cmp.Compare(y.took, x.took) })
		all = append(all, list...)
	}
	onGPU := make([]analyze.Nanos, len(p.Names.Kernels))
	for i := range p.Jobs {
		for _, k := range p.Jobs[i].Kernels {
			if c := p.KernelCosts[k.Of]; !c.Identified || c.Polls {
				continue
			}
			onGPU[k.Of] += program.Scaled(p.Jobs[i].Duration, k.Share)
		}
	}
	inCalls, inLocks := make([]analyze.Nanos, len(p.Names.Calls)), make([]analyze.Nanos, len(p.Names.Locks))
	own, threads := make([]analyze.Nanos, len(p.Threads)), make([]string, len(p.Threads))
	for t := range p.Threads {
		th := &p.Threads[t]
		threads[t] = th.Name
		own[t] = addTimes(th, inCalls, inLocks)
	}
	add(KindKernel, p.Names.Kernels, onGPU)
	add(KindCall, p.Names.Calls, inCalls)
	add(KindLock, p.Names.Locks, inLocks)
	add(KindThread, threads, own)
	return all
}

// addTimes adds the thread's times in calls and waits for locks to inCalls and inLocks, and returns its own time
// outside of calls.
func addTimes(th *program.Thread, inCalls, inLocks []analyze.Nanos) (own analyze.Nanos) {
	var gaps analyze.Nanos
	var costs [analyze.PartCount]analyze.Nanos
	for i := range th.Steps {
		s := &th.Steps[i]
		gaps += s.Gap
		switch s.Kind {
		case program.Acquire:
			costs[analyze.PartAcquire] += s.Cost
		case program.Commit, program.Enqueue:
			costs[analyze.PartCommit] += s.Cost
		case program.Compile:
			costs[analyze.PartCompile] += s.Cost
		case program.Lock:
			if d := &th.Details[i]; d.NamedLock > 0 {
				inLocks[d.NamedLock-1] += d.HeldUp
			}
		}
	}
	own = gaps
	for _, g := range th.InGaps {
		inCalls[g.Of] += program.Scaled(gaps, g.Share)
		own -= program.Scaled(gaps, g.Share)
	}
	for in, cost := range costs {
		for _, g := range th.InCalls[in] {
			inCalls[g.Of] += program.Scaled(cost, g.Share)
		}
	}
	return own
}

// flights returns two and three rounds in flight as items for a prediction. Only one thread may commit, and it must
// always wait for its last command buffer before it creates the next; otherwise flights returns none.
func flights(p *program.Program) (list []thing) {
	var only *program.Thread
	for t := range p.Threads {
		if policy.MoreThan(policy.NegligibleShare, len(p.Threads[t].Jobs), len(p.Jobs)) {
			if only != nil {
				return nil
			}
			only = &p.Threads[t]
		}
	}
	if only == nil || !only.RoundTrips() {
		return nil
	}
	for _, n := range []int32{2, 3} {
		list = append(list, thing{kind: KindInFlight, name: fmt.Sprint(n), number: n})
	}
	return list
}

// AsAWhole reports whether items of this kind have no time that a factor could scale. Such a change is made
// completely or not at all.
func AsAWhole(kind string) bool { return kind == KindInFlight || kind == KindMerge }

// counted returns an item for each of the numbers, as for KindMerge with 2, 4 and 8 command buffers merged into one.
// The numbers become the items' names.
func counted(kind string, numbers []string) (list []thing) {
	for _, n := range numbers {
		number, _ := strconv.Atoi(n)
		list = append(list, thing{kind: kind, name: n, number: int32(number)})
	}
	return list
}

// merges returns the numbers of command buffers that could be merged into one. It returns none if too few command
// buffers are so small that merging pays.
func merges(p *program.Program) []thing {
	small := 0
	for i := range p.Jobs {
		if p.Jobs[i].Duration < policy.WorthMerging {
			small++
		}
	}
	if len(p.Jobs) < policy.SteadyCommandBuffers || !policy.AtLeast(policy.Majority, small, len(p.Jobs)) {
		return nil
	}
	return counted(KindMerge, Merges)
}

// scale sets the factor by which the item's time is multiplied in `s`, and leaves the factors of other items.
func (t *thing) scale(s *change.Scale, p *program.Program, factor float64) {
	set := func(list *[]float64, n int) {
		for len(*list) < n {
			*list = append(*list, 1)
		}
		(*list)[t.number] = factor
	}
	switch t.kind {
	case KindKernel:
		set(&s.Kernels, len(p.Names.Kernels))
	case KindCall:
		set(&s.Calls, len(p.Names.Calls))
	case KindLock:
		set(&s.Locks, len(p.Names.Locks))
	case KindThread:
		set(&s.Threads, len(p.Threads))
	case KindInFlight:
		s.InFlight = int(t.number)
	case KindMerge:
		s.Merged = int(t.number)
	}
}

// scaled returns a Change that multiplies the item's time by factor and changes nothing else.
func (t *thing) scaled(p *program.Program, factor float64) Change {
	s := &change.Scale{}
	t.scale(s, p, factor)
	return Change{Scale: s}
}
