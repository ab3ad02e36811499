package evidence

import (
	"mtrace/analyze"
)

// A blocking is a kind of call in which a thread is blocked.
type blocking uint8

const (
	onOthers    blocking = iota // waits for another thread's GPU work
	onGPU                       // other waits for the GPU
	onLock                      // waits for a lock
	onSignal                    // waits for another thread's signal, usually for new work
	onCompile                   // compiles
	onQueue                     // waits for a free slot in a queue, to create a command buffer
	onDrawable                  // waits for a layer's next drawable
	onAllocate                  // allocates memory
	onResidency                 // changes which memory is resident
	blockings
)

// spansOf lists the times in which one thread was in calls that block, by kind of blocking.
type spansOf [blockings]*Busy

// spans returns the times of the given kinds of blocking. Times of different kinds may overlap.
func (s spansOf) spans(kinds ...blocking) (all []analyze.Interval) {
	for _, k := range kinds {
		all = append(all, s[k].Spans()...)
	}
	return all
}

// Blocked lists for each thread the times in which it was in calls that block, by kind of blocking.
type Blocked map[*analyze.Thread]spansOf

// FindBlocked collects the times in which each thread was in calls that block. `full` has the creations of command
// buffers that blocked.
func FindBlocked(t *analyze.Trace, waits *ThreadWaits, full []Acquisition) Blocked {
	by := map[*analyze.Thread]*[blockings][]analyze.Interval{}
	add := func(c *analyze.Call, kind blocking) {
		lists := entry(by, c.Thread)
		lists[kind] = append(lists[kind], c.Interval)
	}
	for w := range analyze.Each(t.Waits) {
		if ForOtherThread(t, w) {
			add(&w.Call, onOthers)
		} else {
			add(&w.Call, onGPU)
		}
	}
	for l := range analyze.Each(waits.Locks) {
		add(&l.Call, onLock)
	}
	for w := range analyze.Each(waits.Signals) {
		add(&w.Call, onSignal)
	}
	for c := range analyze.Each(t.Compilations) {
		add(&c.Call, onCompile)
	}
	for c := range analyze.Each(full) {
		add(&c.Call, onQueue)
	}
	for c := range analyze.Each(t.CPUWaits.Drawables) {
		add(c, onDrawable)
	}
	for a := range analyze.Each(t.Memory.Allocations) {
		lists := entry(by, a.Thread)
		lists[onAllocate] = append(lists[onAllocate], allocated(a))
	}
	for c := range analyze.Each(t.Memory.Residency) {
		add(c, onResidency)
	}
	blocked := Blocked{}
	for t, lists := range by {
		var s spansOf
		for kind, list := range lists {
			s[kind] = NewBusy(list)
		}
		blocked[t] = s
	}
	return blocked
}

// allocated returns the time of the call that made an allocation.
func allocated(a *analyze.Allocation) analyze.Interval {
	return analyze.Interval{Begin: a.At, End: a.At + a.Took}
}

// Allocating returns the times in which each thread allocated memory or changed which memory is resident.
func Allocating(trace *analyze.Trace) map[*analyze.Thread]*Busy {
	by := map[*analyze.Thread][]analyze.Interval{}
	for a := range analyze.Each(trace.Memory.Allocations) {
		by[a.Thread] = append(by[a.Thread], allocated(a))
	}
	for c := range analyze.Each(trace.Memory.Residency) {
		by[c.Thread] = append(by[c.Thread], c.Interval)
	}
	return unions(by)
}
