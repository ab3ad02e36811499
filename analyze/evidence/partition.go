package evidence

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
)

// ThreadTime tells how a thread used its time in the trace. The elements of Time add up to ActiveRange exactly.
type ThreadTime struct {
	Thread         *analyze.Thread
	ActiveRange    analyze.Nanos // from its first to its last call
	Time           [analyze.PartCount]analyze.Nanos
	CommandBuffers int // committed
	Encoders       int
	Dispatches     int
	Waits          int
	Working        analyze.Nanos                    // from its first command buffer to its last commit or wait
	WorkTime       [analyze.PartCount]analyze.Nanos // Time without start-up and tear-down; it adds up to Working
	GPU            analyze.Nanos                    // sum of the GPU times of its command buffers
	// the part of Time[PartOutside] in which the thread waited for another thread's signal
	SignalWaits analyze.Nanos
	// the part of Time[PartOutside] in recorded waits, by kind of wait; includes SignalWaits
	Blocked   [analyze.BlockedKinds]analyze.Nanos
	HandsOver bool // another thread submits this thread's work, and this thread waits for the result
	// the part of Time[PartAcquire] in which other threads held the queue's command buffers
	AcquireOthers analyze.Nanos
}

// LostToOthers returns the share (0 to 1) of the thread's time in which it waited for other threads.
func (t *ThreadTime) LostToOthers() float64 {
	lost := t.Time[analyze.PartWaitCrossThread] + t.Time[analyze.PartWaitQueuedOther] + t.Time[analyze.PartLock] +
		t.AcquireOthers
	return Share(lost, t.ActiveRange)
}

// Waited returns the thread's time in all waits for GPU work. It relies on the order of the constants from
// analyze.PartWaitExecuting to PartWaitCrossThread.
func (t *ThreadTime) Waited() analyze.Nanos {
	var sum analyze.Nanos
	for p := analyze.PartWaitExecuting; p <= analyze.PartWaitCrossThread; p++ {
		sum += t.Time[p]
	}
	return sum
}

// Submits reports whether the thread takes part in the GPU's work: it committed or waited somewhere in the run, or
// another thread submits for it.
func (t *ThreadTime) Submits() bool {
	return t.CommandBuffers > 0 || t.Waits > 0 || t.HandsOver || t.Thread.Submits
}

// ThreadTimes tells for each thread how it used its time in the trace.
type ThreadTimes struct {
	Threads  []*ThreadTime // without threads that only waited for work
	Warnings []string      // about overlapping calls of a thread
	byThread map[*analyze.Thread]*ThreadTime
}

// Of returns a thread's use of time, or nil if the trace has only the thread's waits for work.
func (times *ThreadTimes) Of(t *analyze.Thread) *ThreadTime { return times.byThread[t] }

// Working returns the total working time of the threads that take part in the GPU's work. Shares of lost time in the
// report are relative to it.
func (times *ThreadTimes) Working() (sum analyze.Nanos) {
	for _, t := range times.Threads {
		if t.Submits() {
			sum += t.Working
		}
	}
	return sum
}

// WorkRange returns the time from the first command buffer, or wait for one, to the last commit or wait of any thread.
// Shares and predictions are about this range: it leaves out the program's start-up and shutdown.
func (times *ThreadTimes) WorkRange() (all analyze.Interval) {
	for _, t := range times.Threads {
		w := t.Thread.Working
		switch {
		case !t.Submits() || w.Length() == 0:
		case all.Length() == 0:
			all = w
		default:
			all = analyze.Interval{Begin: min(all.Begin, w.Begin), End: max(all.End, w.End)}
		}
	}
	return all
}

// Sum returns the working time that the threads that take part in the GPU's work spent in part p, in total.
func (times *ThreadTimes) Sum(p analyze.Part) (sum analyze.Nanos) {
	for _, t := range times.Threads {
		if t.Submits() {
			sum += t.WorkTime[p]
		}
	}
	return sum
}

// newThreadTimes returns the threads' times in Metal calls; waits are not counted yet.
func newThreadTimes(trace *analyze.Trace, h *Delegation) *ThreadTimes {
	times := &ThreadTimes{byThread: map[*analyze.Thread]*ThreadTime{}}
	for _, th := range trace.Threads {
		handsOver := h.Confirmed() && h.Threads[th]
		if th.OnlyIdle && !handsOver {
			continue // the trace has only waits of this thread, as of an idle pool's
		}
		times.add(&ThreadTime{Thread: th, ActiveRange: th.Active.Length(), Time: th.Exclusive, HandsOver: handsOver})
	}
	return times
}

func (times *ThreadTimes) add(t *ThreadTime) {
	times.Threads, times.byThread[t.Thread] = append(times.Threads, t), t
}

// DivideTime divides each thread's time into parts. Without queues (nil), AcquireOthers is 0.
func DivideTime(work *GPUWork, waits *ThreadWaits, h *Delegation, queues *QueueUses) *ThreadTimes {
	trace := work.trace
	times := newThreadTimes(trace, h)
	index := times.byThread
	for w := range analyze.Each(trace.Waits) {
		t := index[w.Thread]
		if t == nil {
			continue
		}
		if !w.Earlier {
			t.Waits++
		}
		for _, p := range work.Split(w) {
			t.Time[p.Part] += p.Nanos
		}
	}
	times.countBlocked(trace, waits, func(analyze.Nanos) bool { return true })
	window := trace.TimeRange
	for b := range trace.Buffers() {
		t := index[b.Committed.Thread]
		if t == nil && b.Committed.Thread != nil && trace.Adds() && b.RowTime(window) > 0 {
			// the thread makes no call in this range of the run, but its earlier work runs on the GPU
			t = &ThreadTime{Thread: b.Committed.Thread}
			times.add(t)
		}
		if t != nil {
			if b.Committed.End >= window.Begin && b.Committed.Begin <= window.End && trace.Began(b.Committed.Begin) {
				t.CommandBuffers++
			}
			t.GPU += b.RowTime(window)
		}
		for e := range analyze.Each(b.Encoders) {
			if t := index[e.Created.Thread]; t != nil && e.Created.Begin <= window.End && e.Created.End >= window.Begin &&
				trace.Began(e.Created.Begin) {
				t.Encoders++
				t.Dispatches += e.Empty
				for d := range e.Runs() {
					t.Dispatches += d.Count
				}
			}
		}
	}
	for _, t := range times.Threads {
		idle := waits.idle[t.Thread]
		t.Time[analyze.PartLock] = max(0, t.Time[analyze.PartLock]-idle.all)
		times.balance(t)
		t.work(idle.working)
		if queues != nil { // overlapping calls may have been shortened
			t.AcquireOthers = min(queues.behindOthers[t.Thread], t.Time[analyze.PartAcquire])
		}
	}
	return times
}

// timesToAdd returns the threads' times for one range of a run, to be added up over the ranges. Waits for command
// buffers are left out.
func timesToAdd(trace *analyze.Trace, waits *ThreadWaits, h *Delegation) *ThreadTimes {
	times := newThreadTimes(trace, h)
	for _, t := range times.Threads {
		t.Time[analyze.PartLock] -= waits.idle[t.Thread].all // the idle time may belong to the previous range
	}
	times.countBlocked(trace, waits, trace.Includes)
	return times
}

// work computes Working and WorkTime. `idle` is the part of the working time in which the thread waited for work at a
// semaphore that the trace reports as a lock; this time moves from PartLock to PartOutside.
func (t *ThreadTime) work(idle analyze.Nanos) {
	th := t.Thread
	if t.Working = th.Working.Length(); t.Working == 0 {
		t.Working, t.WorkTime = t.ActiveRange, t.Time
		return
	}
	t.WorkTime = th.WorkingExclusive
	t.WorkTime[analyze.PartLock] = max(0, t.WorkTime[analyze.PartLock]-idle)
	inside := analyze.Nanos(0)
	for p := range t.WorkTime {
		switch {
		case p == int(analyze.PartOutside):
			continue
		case p >= int(analyze.PartWaitExecuting) && p <= int(analyze.PartWaitCrossThread):
			t.WorkTime[p] = t.Time[p]
		}
		inside += t.WorkTime[p]
	}
	t.Working = max(t.Working, inside)
	t.WorkTime[analyze.PartOutside] = t.Working - inside
}

// balance counts the time that is in no call as PartOutside, so that Time adds up to ActiveRange. In traces of other
// tools, calls of a thread may overlap and add up to more than ActiveRange. Then balance shortens the longest parts and
// adds a warning.
func (times *ThreadTimes) balance(t *ThreadTime) {
	t.Time[analyze.PartOutside] = 0
	var inside analyze.Nanos
	for _, n := range t.Time {
		inside += n
	}
	if inside <= t.ActiveRange {
		t.Time[analyze.PartOutside] = t.ActiveRange - inside
		return
	}
	times.Warnings = append(times.Warnings, fmt.Sprintf(
		"calls of thread %d overlap by %d ns, which is impossible: the longest parts of its time were shortened by that",
		t.Thread.ID, inside-t.ActiveRange))
	order := make([]analyze.Part, analyze.PartCount)
	for i := range order {
		order[i] = analyze.Part(i)
	}
	slices.SortStableFunc(order, func(x, y analyze.Part) int { return cmp.Compare(t.Time[y], t.Time[x]) })
	for _, p := range order {
		cut := min(inside-t.ActiveRange, t.Time[p])
		t.Time[p] -= cut
		inside -= cut
	}
}
