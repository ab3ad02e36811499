package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A blocking is a kind of calls that block.
type blocking uint8

const (
	onOthers   blocking = iota // a wait for another thread's work
	onGPU                      // another wait
	onLock                     //
	onSignal                   // of another thread, for work as a rule
	onCompile                  //
	onQueue                    // for a free command buffer
	onDrawable                 // for a layer's next drawable
	blockings
)

// spansOf is when a thread was inside calls that block, by kind.
type spansOf [blockings]*Busy

// spans are all spans of some kinds.
func (s spansOf) spans(kinds ...blocking) (all []analyze.Interval) {
	for _, k := range kinds {
		all = append(all, s[k].Spans()...)
	}
	return all
}

// Blocked is when each thread was inside calls that block, by kind.
type Blocked map[*analyze.Thread]spansOf

// FindBlocked finds when each thread was inside calls that block.
func FindBlocked(t *analyze.Trace, waits *ThreadWaits, full []Acquisition) Blocked {
	by := map[*analyze.Thread]*[blockings][]analyze.Interval{}
	add := func(c *analyze.Call, kind blocking) {
		lists := entry(by, c.Thread)
		lists[kind] = append(lists[kind], c.Interval)
	}
	for w := range analyze.Each(t.Waits) {
		if ForOthers(t, w) {
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
	for c := range analyze.Each(t.DrawableWaits) {
		add(c, onDrawable)
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

// workInFlight returns when each thread had committed work that had not completed. During that time the GPU does not
// wait for the thread. The thread may wait for the GPU without a call that shows it: it polls, or it sleeps on a
// semaphore that a completion handler posts.
func workInFlight(trace *analyze.Trace, completions Completions) map[*analyze.Thread]*Busy {
	by := map[*analyze.Thread][]analyze.Interval{}
	for b := range trace.Buffers() {
		t := b.Committed.Thread
		if t == nil || !b.Committed.Known() {
			continue
		}
		if end := completions.At(b); end > b.Committed.End {
			by[t] = append(by[t], analyze.Interval{Begin: b.Committed.End, End: end})
		}
	}
	return unions(by)
}

// WithTheGPU is the working time of the threads in which they had work in flight, or waited for the GPU or for a free
// command buffer: what a GPU that is always busy explains. Running is the part in which it ran their own.
func (ev *Evidence) WithTheGPU() (sum, running analyze.Nanos) {
	for _, t := range ev.Taking {
		with := NewBusy(append(ev.Blocked[t.Thread].spans(onGPU, onOthers, onQueue), ev.inFlight[t.Thread].Spans()...))
		sum += with.Within(atWork(t.Thread))
		for _, d := range ev.Work.Devices {
			for _, own := range d.byThread[t.Thread].Spans() {
				running += with.Within(own.Within(atWork(t.Thread)))
			}
		}
	}
	return sum, min(running, sum)
}

// QueuedAsleep is the thread time in which threads did nothing, in a wait or outside of Metal, while what they had in
// flight waited for a GPU that ran others'.
func (ev *Evidence) QueuedAsleep() (sum analyze.Nanos) {
	for _, t := range ev.Taking {
		queued := analyze.Nanos(0)
		for _, i := range ev.inFlight[t.Thread].Spans() {
			i = i.Within(atWork(t.Thread))
			for _, d := range ev.Work.Devices {
				queued += d.all.Within(i) - d.byThread[t.Thread].Within(i)
			}
		}
		asleep := t.WorkTime[analyze.PartOutside]
		if cpu := t.Thread.CPUIn(atWork(t.Thread)); cpu.Covered > 0 {
			asleep = max(0, asleep-cpu.Ran)
		}
		sum += min(queued, t.WorkTime[analyze.PartWaitQueuedOther]+asleep)
	}
	return sum
}

// unfed is the share of the threads' time outside of Metal in which they had nothing in flight: then the GPU waited for
// them.
func (ev *Evidence) shareUnfed() float64 {
	var outside, fed analyze.Nanos
	for _, t := range ev.Taking {
		flight, working := ev.inFlight[t.Thread], atWork(t.Thread)
		inside := analyze.Nanos(0)
		for _, b := range NewBusy(ev.Blocked[t.Thread].spans(onGPU, onOthers, onLock, onQueue, onCompile)).Spans() {
			inside += flight.Within(b.Within(working))
		}
		o := t.WorkTime[analyze.PartOutside]
		outside += o
		fed += min(o, max(0, flight.Within(working)-inside))
	}
	return 1 - Share(fed, outside)
}

// shares finds who commits a fair share of the work: so much of what each would if all did as much.
func (ev *Evidence) shares() {
	ev.Submits = map[*analyze.Thread]bool{}
	var time, occupied analyze.Nanos
	for _, t := range ev.Taking {
		if !policy.AtLeast(policy.LargeShare, t.CommandBuffers*len(ev.Taking), len(ev.Trace.CommandBuffers)) {
			continue
		}
		ev.Submits[t.Thread] = true
		time += t.Working
		occupied += ev.inFlight[t.Thread].Within(atWork(t.Thread))
	}
	ev.Occupied = Share(occupied, time)
}
