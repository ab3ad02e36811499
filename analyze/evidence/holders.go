package evidence

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A HolderSite is a place in the program in which a lock's holder was while other threads waited for the lock.
type HolderSite struct {
	Chain    []*analyze.Frame // the frame that makes the call, and its callers
	Selector string           // the call
	Time     analyze.Nanos    // sum of the times that threads waited while the holder was here
	Longest  HolderCall
}

// A HolderCall is the call at a HolderSite that overlaps one wait for the lock for the longest time.
type HolderCall struct {
	analyze.Interval
	Thread  *analyze.Thread
	overlap analyze.Nanos
}

// HolderPlaces returns where in the program the holders of locks were during these waits, longest time first. Stacks
// exist only for calls, so time in which a holder computed between calls is left out.
func HolderPlaces(t *analyze.Trace, waits []*analyze.LockWait) []HolderSite {
	calls := map[*analyze.Thread][]heldCall{}
	for _, w := range waits {
		if w.Holder != nil {
			calls[w.Holder] = nil
		}
	}
	collectHeldCalls(t, calls)
	var places Ordered[string, HolderSite]
	for _, w := range waits {
		list := calls[w.Holder]
		first := sort.Search(len(list), func(i int) bool { return list[i].Begin >= w.Begin })
		for i := max(0, first-1); i < len(list) && list[i].Begin < w.End; i++ {
			if both := overlap(list[i].Interval, w.Interval); both > 0 {
				p := list[i].at(&places)
				p.Time += both
				if both > p.Longest.overlap {
					p.Longest = HolderCall{list[i].Interval, w.Holder, both}
				}
			}
		}
	}
	list := make([]HolderSite, 0, len(places.All))
	for _, p := range places.All {
		list = append(list, *p)
	}
	slices.SortStableFunc(list, func(x, y HolderSite) int { return cmp.Compare(y.Time, x.Time) })
	return list
}

// A heldCall is a call of a thread that holds a lock, with a stack.
type heldCall struct {
	analyze.Interval
	stack    *analyze.Stack
	selector string
}

// at returns the place of the call.
func (c *heldCall) at(places *Ordered[string, HolderSite]) *HolderSite {
	chain := c.stack.Chain(policy.ShownFrames)
	name := c.selector
	for _, f := range chain {
		name += "\n" + f.String()
	}
	p := places.Of(name)
	p.Chain, p.Selector = chain, c.selector
	return p
}

// collectHeldCalls fills the map `calls`: for each thread that is a key, it adds the thread's waits that have a
// stack, sorted by begin.
func collectHeldCalls(t *analyze.Trace, calls map[*analyze.Thread][]heldCall) {
	add := func(c analyze.Call, selector string) {
		if list, holds := calls[c.Thread]; holds && c.Stack != nil && c.Stack.Site() != nil {
			calls[c.Thread] = append(list, heldCall{c.Interval, c.Stack, selector})
		}
	}
	for w := range analyze.Each(t.Waits) {
		add(w.Call, w.Selector)
	}
	for w := range analyze.Each(t.CPUWaits.Locks) {
		add(w.Call, w.Selector)
	}
	for w := range analyze.Each(t.CPUWaits.Signals) {
		add(w.Call, w.Selector)
	}
	for w := range analyze.Each(t.CPUWaits.Blocked) {
		add(w.Call, w.Selector)
	}
	for thread := range calls {
		slices.SortFunc(calls[thread], func(x, y heldCall) int { return cmp.Compare(x.Begin, y.Begin) })
	}
}
