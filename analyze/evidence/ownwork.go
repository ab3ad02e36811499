package evidence

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// InterferenceOfOwnWork tests whether what threads do outside of Metal, from one call to the next command buffer, takes
// longer while others do the same: a lock for which they spin looks like work. Where threads lack processors, or an
// interpreter runs one at a time, that explains it; what a thread sleeps in there is not its work.
func InterferenceOfOwnWork(trace *analyze.Trace, times *ThreadTimes, submitters *Submitters, blocked Blocked,
	p *Processors, opts Options) *Interference {
	if p.OneAtATime || p.Starved() || len(submitters.Submits) < 2 {
		return nil
	}
	ends := map[*analyze.Thread][]analyze.Nanos{}
	for w := range analyze.Each(trace.Waits) {
		ends[w.Thread] = append(ends[w.Thread], w.End)
	}
	for b := range trace.Buffers() {
		ends[b.Committed.Thread] = append(ends[b.Committed.Thread], b.Committed.End)
	}
	for _, list := range ends {
		slices.Sort(list)
	}
	var calls []analyze.Call
	for b := range trace.Buffers() {
		t := b.Created.Thread
		list := ends[t]
		k, _ := slices.BinarySearch(list, b.Created.Begin)
		if k == 0 || !submitters.Submits[t] || !b.Created.Known() {
			continue
		}
		own := analyze.Interval{Begin: list[k-1], End: b.Created.Begin}
		if !slices.ContainsFunc([]blocking{onLock, onSignal, onCompile, onQueue},
			func(k blocking) bool { return blocked[t][k].Within(own) > 0 }) {
			calls = append(calls, analyze.Call{Interval: own, Thread: t})
		}
	}
	calls = inWindow(calls, trace.Window)
	i, told := testInterference(calls, opts.withDefaults())
	if !told {
		return nil
	}
	if i.Even && !i.HandOff && p.runsOutside(times) { // in step, and no clock that they sleep for keeps it
		i.HandOff, i.Solo, i.Lost = true, i.Service, lostBeside(calls, i.Service)
	}
	i.HandOff = i.HandOff && !p.sleptThrough(i.Lost)
	i.What, i.QValue = "own work", i.PValue
	return &i
}

// sleptThrough reports whether threads slept for a part of some time: they ran and waited for processors for less, and
// did not spin. Threads that leave a barrier, or a disk, one after another look like threads that share a lock.
func (p *Processors) sleptThrough(lost analyze.Nanos) bool {
	return p.Known() && !policy.NearlyAll(p.Computed+p.Waited, Scaled(lost, Share(p.Covered, p.total)))
}

// runsOutside reports whether the threads run on a processor, or want to, for most of their time outside of Metal, so
// that no clock wakes them. Some of that time is counted as neither: the time that a host takes of a virtual machine's
// processors, and a wait for a processor that continues when the sample is taken.
func (p *Processors) runsOutside(times *ThreadTimes) bool {
	return p.Known() && policy.AtLeast(policy.DominantShare, p.Computed+p.Waited,
		Scaled(times.Sum(analyze.PartOutside), Share(p.Covered, p.total)))
}
