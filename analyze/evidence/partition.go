package evidence

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
)

// ThreadTime is how a thread spent its part of the window. Time adds up to Window exactly.
type ThreadTime struct {
	Thread         *analyze.Thread
	Window         analyze.Nanos // from its first to its last call
	Time           [analyze.PartCount]analyze.Nanos
	CommandBuffers int // committed
	Encoders       int
	Dispatches     int
	Waits          int
	Working        analyze.Nanos                    // from its first command buffer to its last commit or wait
	WorkTime       [analyze.PartCount]analyze.Nanos // Time without start-up and tear-down; it adds up to Working
	GPU            analyze.Nanos                    // sum of the GPU times of what it committed
	SignalWaits    analyze.Nanos                    // of Time[PartOutside], waiting for a signal of another thread
	HandsOver      bool                             // it has another thread submit its work, and waits for that
	// the part of Time[PartAcquire] in which other threads held the queue's command buffers
	AcquireOthers analyze.Nanos
}

// LostToOthers is the share of the thread's time that it waited for other threads.
func (t *ThreadTime) LostToOthers() float64 {
	lost := t.Time[analyze.PartWaitForeign] + t.Time[analyze.PartWaitQueuedOther] + t.Time[analyze.PartLock] +
		t.AcquireOthers
	return Share(lost, t.Window)
}

// Waited is the thread's time in waits of every kind.
func (t *ThreadTime) Waited() analyze.Nanos {
	var sum analyze.Nanos
	for p := analyze.PartWaitExecuting; p <= analyze.PartWaitForeign; p++ {
		sum += t.Time[p]
	}
	return sum
}

// Submits says whether the thread takes part in the GPU's work: it committed or waited, if not here then elsewhere in
// the trace, or another submits for it.
func (t *ThreadTime) Submits() bool {
	return t.CommandBuffers > 0 || t.Waits > 0 || t.HandsOver || t.Thread.Submits
}

// TimeOf is how a thread spent its time; nil of one that did nothing but wait for work.
func (ev *Evidence) TimeOf(t *analyze.Thread) *ThreadTime { return ev.times[t] }

// newTimes begins to divide each thread's time.
func (ev *Evidence) newTimes() {
	ev.times = map[*analyze.Thread]*ThreadTime{}
	for _, th := range ev.Trace.Threads {
		handsOver := ev.Handover.Holds() && ev.Handover.Threads[th]
		if th.OnlyIdle && !handsOver {
			continue // of a pool, of a library: all that is known of it is that it waited
		}
		t := &ThreadTime{Thread: th, Window: th.Active.Length(), Time: th.Exclusive, HandsOver: handsOver}
		ev.Threads, ev.times[th] = append(ev.Threads, t), t
	}
}

// partition divides each thread's time.
func (ev *Evidence) partition() {
	ev.newTimes()
	index := ev.times
	for w := range analyze.Each(ev.Trace.Waits) {
		t := index[w.Thread]
		if t == nil {
			continue
		}
		if !w.Earlier {
			t.Waits++
		}
		for _, p := range ev.Split(w) {
			t.Time[p.Part] += p.Nanos
		}
	}
	for w := range analyze.Each(ev.SignalWaits) {
		if index[w.Thread] != nil {
			index[w.Thread].SignalWaits += w.Length()
		}
	}
	window := ev.Trace.Window
	for b := range ev.Trace.Buffers() {
		t := index[b.Committed.Thread]
		if t == nil && b.Committed.Thread != nil && ev.Trace.IsPart() && b.RowTime(window) > 0 {
			// it makes no call in this part, but its work goes on
			t = &ThreadTime{Thread: b.Committed.Thread}
			ev.Threads, index[t.Thread] = append(ev.Threads, t), t
		}
		if t != nil {
			if b.Committed.End >= window.Begin && b.Committed.Begin <= window.End && ev.Trace.Began(b.Committed.Begin) {
				t.CommandBuffers++
			}
			t.GPU += b.RowTime(window)
		}
		for e := range analyze.Each(b.Encoders) {
			if t := index[e.Created.Thread]; t != nil && e.Created.Begin <= window.End && e.Created.End >= window.Begin &&
				ev.Trace.Began(e.Created.Begin) {
				t.Encoders++
				t.Dispatches += e.Empty
				for d := range e.Runs() {
					t.Dispatches += d.Count
				}
			}
		}
	}
	for _, t := range ev.Threads {
		idle := ev.forWork[t.Thread]
		t.Time[analyze.PartLock] = max(0, t.Time[analyze.PartLock]-idle.all)
		ev.balance(t)
		t.work(idle.working)
	}
}

// timesInSlice is what adds up over the slices of a run of how each thread spent its time, but for its waits.
func (ev *Evidence) timesInSlice() {
	ev.newTimes()
	for _, t := range ev.Threads {
		t.Time[analyze.PartLock] -= ev.forWork[t.Thread].all // which may be of the slice before
	}
	for w := range analyze.Each(ev.SignalWaits) {
		if t := ev.times[w.Thread]; t != nil && ev.Trace.Holds(w.End) {
			t.SignalWaits += w.Length()
		}
	}
}

// work fills the thread's working time, in which it waited so long for work at what looks like a lock.
func (t *ThreadTime) work(idle analyze.Nanos) {
	th := t.Thread
	if t.Working = th.Working.Length(); t.Working == 0 {
		t.Working, t.WorkTime = t.Window, t.Time
		return
	}
	t.WorkTime = th.WorkingExclusive
	t.WorkTime[analyze.PartLock] = max(0, t.WorkTime[analyze.PartLock]-idle)
	inside := analyze.Nanos(0)
	for p := range t.WorkTime {
		switch {
		case p == int(analyze.PartOutside):
			continue
		case p >= int(analyze.PartWaitExecuting) && p <= int(analyze.PartWaitForeign):
			t.WorkTime[p] = t.Time[p]
		}
		inside += t.WorkTime[p]
	}
	t.Working = max(t.Working, inside)
	t.WorkTime[analyze.PartOutside] = t.Working - inside
}

// balance gives what is left of the thread's time to PartOutside. Calls of our own traces never overlap (see
// analyze.nesting); those of other sources may, and are then cut, the longest part first, so that the sum is exact.
func (ev *Evidence) balance(t *ThreadTime) {
	t.Time[analyze.PartOutside] = 0
	var inside analyze.Nanos
	for _, n := range t.Time {
		inside += n
	}
	if inside <= t.Window {
		t.Time[analyze.PartOutside] = t.Window - inside
		return
	}
	ev.Warnings = append(ev.Warnings, fmt.Sprintf(
		"calls of thread %d overlap by %d ns; its longest parts were cut by that", t.Thread.ID, inside-t.Window))
	order := make([]analyze.Part, analyze.PartCount)
	for i := range order {
		order[i] = analyze.Part(i)
	}
	slices.SortStableFunc(order, func(x, y analyze.Part) int { return cmp.Compare(t.Time[y], t.Time[x]) })
	for _, p := range order {
		cut := min(inside-t.Window, t.Time[p])
		t.Time[p] -= cut
		inside -= cut
	}
}

// Share is how much of the whole a part is; 0 of nothing.
func Share(part, whole analyze.Nanos) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Scaled is so much of a time.
func Scaled(n analyze.Nanos, by float64) analyze.Nanos { return analyze.Nanos(float64(n) * by) }

// ThreadName is a thread in words.
func ThreadName(t *analyze.Thread) string {
	if t.Name == "" {
		return fmt.Sprintf("thread %d", t.ID)
	}
	return fmt.Sprintf("%s %d", t.Name, t.ID)
}
