package evidence

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// InterferenceOfOwnWork tests whether threads take longer outside of Metal while other threads are outside of Metal
// too, as if they spun for a lock. It returns nil if another reason looks the same: too few processors, or an
// interpreter that runs one thread at a time. Times with recorded waits (locks, signals, compilation) are left out.
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
		if !slices.ContainsFunc([]blocking{onLock, onSignal, onCompile, onQueue, onResidency},
			func(k blocking) bool { return blocked[t][k].LengthWithin(own) > 0 }) {
			calls = append(calls, analyze.Call{Interval: own, Thread: t})
		}
	}
	calls = inWindow(calls, trace.TimeRange)
	i, told := testInterference(calls, opts.withDefaults())
	if !told {
		return nil
	}
	if i.Even && !i.HandOff && p.runsOutside(times) { // in step, and not because a clock wakes them
		i.HandOff, i.Solo, i.Lost = true, i.Service, lostBeside(calls, i.Service)
	}
	i.HandOff = i.HandOff && !p.sleptThrough(i.Lost)
	i.What, i.QValue = "own work", i.PValue
	return &i
}

// sleptThrough reports whether threads slept for a considerable part of the lost time: they neither ran nor waited
// for a processor. Threads that leave a barrier or a disk one after another look like threads that share a lock, but
// they sleep.
func (p *Processors) sleptThrough(lost analyze.Nanos) bool {
	return p.Known() && !policy.NearlyAll(p.Computed+p.Waited, Scaled(lost, Share(p.Covered, p.total)))
}

// runsOutside reports whether the threads run or wait for a processor for most of their time outside of Metal; then
// no timer wakes them. Most of the time suffices, because two kinds of time are in neither number: time that a host
// takes from a virtual machine's processors, and waits that have not ended at the sample.
func (p *Processors) runsOutside(times *ThreadTimes) bool {
	return p.Known() && policy.AtLeast(policy.DominantShare, p.Computed+p.Waited,
		Scaled(times.Sum(analyze.PartOutside), Share(p.Covered, p.total)))
}
