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

// waitForEverybody says which threads wait for everybody and not only for those whose work they need: they wait for
// most of the others, or for some that wait for them, which work that is needed could not, directly or by way of
// others.
func (ev *Evidence) waitForEverybody() map[*analyze.Thread]bool {
	all := map[*analyze.Thread]bool{}
	waiters := ev.awaitedBy()
	for t, others := range waiters {
		if n := len(others); n >= 2 && policy.AtLeast(policy.DominantShare, n, ev.Committers-1) {
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

// Syncs sums the waits of threads that submit.
func (ev *Evidence) Syncs() *syncUse {
	s := &syncUse{Waits: len(ev.Trace.Waits), Waiters: ev.awaitedBy()}
	own := ev.marks()
	encoded := ev.Trace.Encoded()
	for w := range analyze.Each(ev.Trace.Waits) {
		switch from, mine := Awaited(ev.Trace, w), own[w.Thread]; {
		case from == nil || mine == nil:
		case from != w.Thread && !ev.everybody[w.Thread]:
			s.Needed++
			s.NeededTime += w.Length()
		case from != w.Thread:
			s.Foreign++
			s.ForeignTime += w.Length()
			late := analyze.Interval{Begin: max(w.Begin, before(mine, w.Begin).done), End: w.End}
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
		if ForOthers(ev.Trace, w) && w.Thread != nil && commits[w.Thread] {
			if by[w.Thread] == nil {
				by[w.Thread] = map[*analyze.Thread]bool{}
			}
			by[w.Thread][Awaited(ev.Trace, w)] = true
		}
	}
	return by
}

// barrier adds a wait for a thread's own empty command buffer, if that was queued behind others' work.
func (s *syncUse) barrier(ev *Evidence, w *analyze.Wait, mine []mark) {
	queued := ev.Work.queued(w)
	d := ev.Work.Of(ev.Trace.WaitsFor(w))
	others := func(i analyze.Interval) analyze.Nanos { return d.all.Within(i) - d.byThread[w.Thread].Within(i) }
	if others(queued) <= 0 {
		return
	}
	s.Barriers++
	if ev.Saturated {
		return
	}
	late := analyze.Interval{Begin: max(queued.Begin, before(mine, w.Begin).work), End: queued.End}
	s.BarrierLost += others(late)
	s.Lost += w.End - min(late.Begin, w.End) // an empty command buffer takes a launch, too
}

// A mark is what a thread had committed by an instant.
type mark struct {
	at         analyze.Nanos
	done, work analyze.Nanos // when the GPU had done all of it, and all of it that is not empty
}

// marks are those of each thread, one for each of its command buffers, by commit.
func (ev *Evidence) marks() map[*analyze.Thread][]mark {
	by := map[*analyze.Thread][]mark{}
	for b := range ev.Trace.Buffers() {
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

// before is the last mark before an instant; nothing where there is none.
func before(list []mark, t analyze.Nanos) (m mark) {
	if i, _ := slices.BinarySearchFunc(list, t, func(m mark, t analyze.Nanos) int { return cmp.Compare(m.at, t) }); i > 0 {
		m = list[i-1]
	}
	return m
}

// HangingOnSyncs is what hangs on waits for others' work: waits for locks, and threads' own way from one wait to the
// next. While the GPU is saturated neither costs anything.
func (ev *Evidence) HangingOnSyncs() (locks, loops analyze.Nanos) {
	for l := range analyze.Each(ev.ThreadWaits.Locks) {
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
