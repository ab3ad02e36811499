package evidence

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// interferenceOfOwnWork tests whether what threads do outside of Metal, from one call to the next command buffer, takes
// longer while others do the same: a lock for which they spin looks like work. Where threads lack processors, or an
// interpreter runs one at a time, that explains it; what a thread sleeps in there is not its work.
func (ev *Evidence) interferenceOfOwnWork(opts Options) *Interference {
	if ev.OneAtATime || ev.Starved() || len(ev.Submits) < 2 {
		return nil
	}
	ends := map[*analyze.Thread][]analyze.Nanos{}
	for w := range analyze.Each(ev.Trace.Waits) {
		ends[w.Thread] = append(ends[w.Thread], w.End)
	}
	for b := range ev.Trace.Buffers() {
		ends[b.Committed.Thread] = append(ends[b.Committed.Thread], b.Committed.End)
	}
	for _, list := range ends {
		slices.Sort(list)
	}
	var calls []analyze.Call
	for b := range ev.Trace.Buffers() {
		t := b.Created.Thread
		list := ends[t]
		k, _ := slices.BinarySearch(list, b.Created.Begin)
		if k == 0 || !ev.Submits[t] || !b.Created.Known() {
			continue
		}
		own := analyze.Interval{Begin: list[k-1], End: b.Created.Begin}
		if !slices.ContainsFunc([]blocking{onLock, onSignal, onCompile, onQueue},
			func(k blocking) bool { return ev.Blocked[t][k].Within(own) > 0 }) {
			calls = append(calls, analyze.Call{Interval: own, Thread: t})
		}
	}
	calls = inWindow(calls, ev.Trace.Window)
	i, told := testInterference(calls, opts)
	if !told {
		return nil
	}
	if i.Even && !i.HandOff && ev.runsOutside() { // in step, and no clock that they sleep for keeps it
		i.HandOff, i.Solo, i.Lost = true, i.Service, lostBeside(calls, i.Service)
	}
	i.What, i.QValue = "own work", i.PValue
	return &i
}

// runsOutside says whether the threads run on a processor, or want to, for most of their time outside of Metal, so that
// no clock wakes them. Some of that is counted as neither: what a host takes of a virtual machine's processors, and a
// wait for one that goes on when it is looked at.
func (ev *Evidence) runsOutside() bool {
	p := &ev.Processors
	return p.Known(ev.Total) && policy.AtLeast(policy.DominantShare, p.Computed+p.Waited,
		Scaled(ev.Times.Sum(analyze.PartOutside),
			Share(p.Covered, ev.Total)))
}
