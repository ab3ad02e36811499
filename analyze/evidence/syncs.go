package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// syncUse sums the waits that reach beyond the thread's own work.
type syncUse struct {
	Waits, Foreign, Barriers int
	ForeignTime, Lost        analyze.Nanos
	BarrierLost              analyze.Nanos // part of lost, in which empty command buffers were queued behind others' work
	Needed                   int           // waits for the work of threads that do not wait for the waiter's
	NeededTime               analyze.Nanos
	Waiters                  map[*analyze.Thread]map[*analyze.Thread]bool // for whom each waited
}

// Partners is how many others a thread waited for, at most.
func (s *syncUse) Partners() (most int) {
	for _, p := range s.Waiters {
		most = max(most, len(p))
	}
	return most
}

// waitForEverybody says which threads wait for everybody and not only for those whose work they need: they wait for most of the others, or
// for some that wait for them, which work that is needed could not, directly or by way of others.
func (ev *Evidence) waitForEverybody() map[*analyze.Thread]bool {
	all := map[*analyze.Thread]bool{}
	waiters := ev.awaitedBy()
	for t, others := range waiters {
		if n := len(others); n >= 2 && policy.AtLeast(policy.Broad, n, ev.Committers-1) {
			all[t] = true
			continue
		}
		seen := map[*analyze.Thread]bool{}
		next := []*analyze.Thread{t}
		for len(next) > 0 && !all[t] {
			from := next[0]
			next = next[1:]
			for other := range waiters[from] {
				if other == t {
					all[t] = true
				} else if !seen[other] {
					seen[other] = true
					next = append(next, other)
				}
			}
		}
	}
	return all
}

// Syncs sums the waits of threads that submit.
func (ev *Evidence) Syncs() *syncUse {
	s := &syncUse{Waits: len(ev.Trace.Waits), Waiters: ev.awaitedBy()}
	own := ev.commitsByThread()
	encoded := ev.Trace.Encoded()
	for w := range analyze.Each(ev.Trace.Waits) {
		switch from, mine := ev.Awaited(w), own[w.Thread]; {
		case from == nil || mine == nil:
		case from != w.Thread && !ev.everybody[w.Thread]:
			s.Needed++
			s.NeededTime += w.Length()
		case from != w.Thread:
			s.Foreign++
			s.ForeignTime += w.Length()
			late := analyze.Interval{Begin: max(w.Begin, mine.latest(mine.done, w.Begin)), End: w.End}
			s.Lost += ev.NotSaturated(late, ev.Trace.WaitsFor(w))
		case encoded && w.Buffer != analyze.NoCommandBuffer && ev.Trace.WaitsFor(w).Empty():
			s.barrier(ev, w, mine)
		}
	}
	return s
}

// awaitedBy is for whose work each thread that submits waited, beside its own.
func (ev *Evidence) awaitedBy() map[*analyze.Thread]map[*analyze.Thread]bool {
	commits := map[*analyze.Thread]bool{}
	for b := range ev.Trace.Buffers() {
		commits[b.Committed.Thread] = true
	}
	by := map[*analyze.Thread]map[*analyze.Thread]bool{}
	for w := range analyze.Each(ev.Trace.Waits) {
		if ev.ForOthers(w) && w.Thread != nil && commits[w.Thread] {
			if by[w.Thread] == nil {
				by[w.Thread] = map[*analyze.Thread]bool{}
			}
			by[w.Thread][ev.Awaited(w)] = true
		}
	}
	return by
}

// barrier adds a wait for a thread's own empty command buffer, if that was queued behind others' work.
func (s *syncUse) barrier(ev *Evidence, w *analyze.Wait, mine *commits) {
	queued := ev.queuedPart(w)
	d := ev.DeviceOf(ev.Trace.WaitsFor(w))
	others := func(i analyze.Interval) analyze.Nanos { return d.all.Within(i) - d.byThread[w.Thread].Within(i) }
	if others(queued) <= 0 {
		return
	}
	s.Barriers++
	if ev.Saturated {
		return
	}
	late := analyze.Interval{Begin: max(queued.Begin, mine.latest(mine.work, w.Begin)), End: queued.End}
	s.BarrierLost += others(late)
	s.Lost += w.End - min(late.Begin, w.End) // an empty command buffer takes a launch, too
}

// commitsByThread are the command buffers that each thread committed.
func (ev *Evidence) commitsByThread() map[*analyze.Thread]*commits {
	by := map[*analyze.Thread]*commits{}
	for b := range ev.Trace.Buffers() {
		if t := b.Committed.Thread; t != nil {
			if by[t] == nil {
				by[t] = &commits{}
			}
			by[t].buffers = append(by[t].buffers, b)
		}
	}
	for _, c := range by {
		c.sort()
	}
	return by
}

// commits are the command buffers of one thread, by commit.
type commits struct {
	buffers []*analyze.CommandBuffer
	done    []analyze.Nanos // latest end on the GPU of buffers[:i+1]
	work    []analyze.Nanos // the same, of those that are not empty
}

func (c *commits) sort() {
	slices.SortStableFunc(c.buffers, func(x, y *analyze.CommandBuffer) int { return cmp.Compare(x.Committed.Begin, y.Committed.Begin) })
	var done, work analyze.Nanos
	for _, b := range c.buffers {
		done = max(done, b.GPU.End)
		if len(b.Encoders) > 0 {
			work = max(work, b.GPU.End)
		}
		c.done, c.work = append(c.done, done), append(c.work, work)
	}
}

// latest is the latest of those ends of what the thread committed before t.
func (c *commits) latest(ends []analyze.Nanos, t analyze.Nanos) analyze.Nanos {
	i, _ := slices.BinarySearchFunc(c.buffers, t, func(b *analyze.CommandBuffer, t analyze.Nanos) int { return cmp.Compare(b.Committed.Begin, t) })
	if i == 0 {
		return 0
	}
	return ends[i-1]
}

// HangingOnSyncs is what hangs on waits for others' work: waits for locks, and threads' own way from one wait to the next. While the
// GPU is saturated neither costs anything.
func (ev *Evidence) HangingOnSyncs() (locks, loops analyze.Nanos) {
	for l := range analyze.Each(ev.Locks) {
		if ev.TakesPart[l.Thread] {
			locks += min(ev.Hangs(l), ev.NotSaturated(l.Interval, nil))
		}
	}
	if !ev.Saturated {
		for _, h := range ev.hanging {
			loops += h.own
		}
	}
	return locks, loops
}
