package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Syncs has the waits for other threads' work, and their indirect costs: the time around needless waits (see
// Passages).
type Syncs struct {
	everybody map[*analyze.Thread]bool // threads that wait for all threads' work
	hanging   map[*analyze.Thread]*hanging
	// when a thread of the process runs between needless waits and so keeps the interpreter's lock from the other
	// threads
	passing map[*analyze.Process]*Busy
	waiters map[*analyze.Thread]map[*analyze.Thread]bool // the threads for whose work each thread waited
	work    *GPUWork
	// waits for signals from completion handlers of other threads' command buffers
	Handlers []HandlerWait
}

// FindSyncs finds the waits for other threads' work and their indirect costs. `committers` is the number of threads
// that commit.
func FindSyncs(
	work *GPUWork, locks []analyze.LockWait, handlers []HandlerWait, blocked Blocked, committers int,
) Syncs {
	s := Syncs{work: work, waiters: awaitedBy(work.trace, handlers), Handlers: handlers}
	s.everybody = waitForEverybody(s.waiters, committers)
	s.findHanging(locks, blocked)
	return s
}

// A SyncUse sums up the waits for more than the waiting thread's own work.
type SyncUse struct {
	Waits, CrossThread, Barriers int
	CrossThreadTime, Lost        analyze.Nanos
	// the part of Lost in waits for empty command buffers that were committed only to be waited for, and were queued
	// behind other threads' work
	BarrierLost analyze.Nanos
	Needed      int // waits for other threads that do not wait for this thread in turn
	NeededTime  analyze.Nanos
	Waiters     map[*analyze.Thread]map[*analyze.Thread]bool // the threads that each thread waited for
}

// Partners returns the largest number of other threads for whose work one thread waited.
func (s *SyncUse) Partners() (most int) {
	for _, p := range s.Waiters {
		most = max(most, len(p))
	}
	return most
}

// waitForEverybody returns the threads that wait for all threads' work, needed or not, as in a device-wide
// synchronization. One sign is that the thread waits for most of the other committing threads. The other sign is a
// circle: two threads wait for each other's work, directly or through others. Waits for needed work form no circle.
func waitForEverybody(waiters map[*analyze.Thread]map[*analyze.Thread]bool, committers int) map[*analyze.Thread]bool {
	all := map[*analyze.Thread]bool{}
	for t, others := range waiters {
		if n := len(others); n >= 2 && policy.AtLeast(policy.DominantShare, n, committers-1) {
			all[t] = true
			continue
		}
		seen, next := map[*analyze.Thread]bool{}, []*analyze.Thread{t}
		for i := 0; i < len(next) && !all[t]; i++ {
			for other := range waiters[next[i]] {
				if all[t] = all[t] || other == t; !seen[other] {
					seen[other], next = true, append(next, other)
				}
			}
		}
	}
	return all
}

// Use sums up the waits of committing threads. It distinguishes waits for the thread's own work, for other threads'
// needed work, and for other threads' work without need. Lost is the time that only the needless waits cost.
func (syncs *Syncs) Use(occupancy *Occupancy) *SyncUse {
	trace := syncs.work.trace
	s := &SyncUse{Waits: len(trace.Waits) + len(syncs.Handlers), Waiters: syncs.waiters}
	own := marks(trace)
	encoded := trace.Encoded()
	for w := range analyze.Each(trace.Waits) {
		switch from, mine := Awaited(trace, w), own[w.Thread]; {
		case from == nil || mine == nil:
		case from != w.Thread:
			s.addCrossThread(syncs, occupancy, &w.Call, trace.WaitsFor(w), mine)
		case encoded && w.Buffer != analyze.NoCommandBuffer && trace.WaitsFor(w).Empty():
			s.barrier(syncs.work, occupancy.Saturated, w, mine)
		}
	}
	for _, w := range syncs.Handlers {
		s.addCrossThread(syncs, occupancy, &w.Call, w.Buffer, own[w.Thread])
	}
	return s
}

// addCrossThread adds a wait for b, another thread's command buffer. `mine` has the marks of the waiting thread.
func (s *SyncUse) addCrossThread(
	syncs *Syncs, occupancy *Occupancy, w *analyze.Call, b *analyze.CommandBuffer, mine []mark,
) {
	if !syncs.everybody[w.Thread] {
		s.Needed++
		s.NeededTime += w.Length()
		return
	}
	s.CrossThread++
	s.CrossThreadTime += w.Length()
	late := analyze.Interval{Begin: max(w.Begin, before(mine, w.Begin).done), End: w.End}
	s.Lost += occupancy.Unexplained(late, b)
}

// awaitedBy returns, for each committing thread, the other threads for whose work it waited.
func awaitedBy(trace *analyze.Trace, handlers []HandlerWait) map[*analyze.Thread]map[*analyze.Thread]bool {
	commits := map[*analyze.Thread]bool{}
	for b := range trace.Buffers() {
		commits[b.Committed.Thread] = true
	}
	by := map[*analyze.Thread]map[*analyze.Thread]bool{}
	add := func(waiter, awaited *analyze.Thread) {
		if by[waiter] == nil {
			by[waiter] = map[*analyze.Thread]bool{}
		}
		by[waiter][awaited] = true
	}
	for w := range analyze.Each(trace.Waits) {
		if ForOtherThread(trace, w) && w.Thread != nil && commits[w.Thread] {
			add(w.Thread, Awaited(trace, w))
		}
	}
	for _, w := range handlers {
		add(w.Thread, w.Buffer.Committed.Thread)
	}
	return by
}

// barrier adds the cost of a wait for the thread's own empty command buffer, if other threads' work was queued before
// it. A program commits such a command buffer only to wait for all work before it. On a saturated GPU the wait costs
// nothing. `mine` has the marks of the waiting thread.
func (s *SyncUse) barrier(work *GPUWork, saturated bool, w *analyze.Wait, mine []mark) {
	queued := work.queued(w)
	d := work.Of(work.trace.WaitsFor(w))
	others := func(i analyze.Interval) analyze.Nanos {
		return d.all.LengthWithin(i) - d.byThread[w.Thread].LengthWithin(i)
	}
	if others(queued) <= 0 {
		return
	}
	s.Barriers++
	if saturated {
		return
	}
	late := analyze.Interval{Begin: max(queued.Begin, before(mine, w.Begin).work), End: queued.End}
	s.BarrierLost += others(late)
	s.Lost += w.End - min(late.Begin, w.End) // even an empty command buffer takes a launch
}

// A mark belongs to one command buffer of a thread. It tells when the GPU had completed everything that the thread had
// committed up to then.
type mark struct {
	at analyze.Nanos // when the thread committed the command buffer
	// when the GPU had completed this and all earlier command buffers of the thread: `done` with empty command buffers
	// (without encoders), `work` without them
	done, work analyze.Nanos
}

// marks returns the marks of each thread in order of commit, one for each of its command buffers.
func marks(trace *analyze.Trace) map[*analyze.Thread][]mark {
	by := map[*analyze.Thread][]mark{}
	for b := range trace.Buffers() {
		if t := b.Committed.Thread; t != nil {
			m := mark{at: b.Committed.Begin, done: b.GPU.End}
			if len(b.Encoders) > 0 {
				m.work = b.GPU.End
			}
			by[t] = append(by[t], m)
		}
	}
	for _, list := range by {
		slices.SortStableFunc(list, func(x, y mark) int { return cmp.Compare(x.at, y.at) })
		for i := range list[1:] {
			list[i+1].done, list[i+1].work = max(list[i].done, list[i+1].done), max(list[i].work, list[i+1].work)
		}
	}
	return by
}

// before returns the last mark before the time `t`; the zero mark if there is none.
func before(list []mark, t analyze.Nanos) (m mark) {
	if i, _ := slices.BinarySearchFunc(list, t, func(m mark, t analyze.Nanos) int { return cmp.Compare(m.at, t) }); i > 0 {
		m = list[i-1]
	}
	return m
}

// Hanging returns the indirect cost of needless waits: `locks` is the time of waits for locks that they cause, and
// `loops` the threads' own time between them. Time in which the GPU was saturated does not count.
func (syncs *Syncs) Hanging(submitters *Submitters, waits []analyze.LockWait, occupancy *Occupancy,
) (locks, loops analyze.Nanos) {
	for l := range analyze.Each(waits) {
		if submitters.Participants[l.Thread] {
			locks += min(syncs.Hangs(l), occupancy.Unexplained(l.Interval, nil))
		}
	}
	if !occupancy.Saturated {
		for _, h := range syncs.hanging {
			loops += h.own
		}
	}
	return locks, loops
}

// hanging is the indirect cost of one thread's needless waits for other threads' work.
type hanging struct {
	when *Busy         // the passages: from the end of one wait to the begin of the next
	own  analyze.Nanos // the thread's own time in these passages
}

// findHanging computes the indirect cost of needless waits, for the threads that wait for all threads' work.
func (syncs *Syncs) findHanging(locks []analyze.LockWait, blocked Blocked) {
	calls := map[*analyze.Thread][]TimedCall{}
	add := func(c *analyze.Call, kind CallKind) {
		if syncs.everybody[c.Thread] && c.Known() {
			calls[c.Thread] = append(calls[c.Thread], TimedCall{c.Interval, kind})
		}
	}
	t, encoded := syncs.work.trace, syncs.work.trace.Encoded()
	for w := range analyze.Each(t.Waits) {
		kind := CallWait
		if ForOtherThread(t, w) || encoded && w.Buffer != analyze.NoCommandBuffer && t.WaitsFor(w).Empty() {
			kind = CallNeedless
		}
		add(&w.Call, kind)
	}
	for l := range analyze.Each(locks) {
		add(&l.Call, CallLock)
	}
	for b := range t.Buffers() {
		add(&b.Created, CallOther)
		add(&b.Committed, CallOther)
	}
	for c := range analyze.Each(t.Compilations) {
		if !c.Waits() { // a wait for compilation elsewhere is not a Metal call
			add(&c.Call, CallOther)
		}
	}
	syncs.hanging = map[*analyze.Thread]*hanging{}
	atWork := map[*analyze.Process][]analyze.Interval{}
	for thread, list := range calls {
		list = outermost(list)
		h := &hanging{}
		var when []analyze.Interval
		for _, p := range Passages(list) {
			when = append(when, analyze.Interval{Begin: list[p.After].End, End: list[p.Wait].Begin})
			h.own += Scaled(p.Own, p.Hangs)
		}
		if len(when) > 0 {
			h.when = NewBusy(when)
			syncs.hanging[thread] = h
			asleep := NewBusy(blocked[thread].spans(onLock, onGPU, onOthers))
			for _, way := range h.when.Spans() {
				atWork[thread.Process] = append(atWork[thread.Process], asleep.Gaps(way)...)
			}
		}
	}
	syncs.passing = unions(atWork)
}

// Hangs returns how much of the wait l for a lock is an indirect cost of needless waits, that is, of waits for other
// threads' work that the thread does not need. If l lies between two waits, at least one of them needless, all of l
// counts. Otherwise only waits for an interpreter's lock (GIL) count, for the time in which a thread between such waits
// ran and so held the GIL.
func (syncs *Syncs) Hangs(l *analyze.LockWait) analyze.Nanos {
	switch h := syncs.hanging[l.Thread]; {
	case h != nil && h.when.LengthWithin(l.Interval) == l.Length():
		return l.Exclusive
	case l.OfInterpreter():
		return min(l.Exclusive, syncs.passing[l.Thread.Process].LengthWithin(l.Interval))
	}
	return 0
}
