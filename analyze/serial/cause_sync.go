package serial

import (
	"slices"

	"mtrace/analyze"
)

// deviceWideSync: threads that submit work of their own wait for everybody's. It costs the time for which they went on waiting
// after their own work was done. Two shapes are known: waiting for the command buffers that others committed, and committing an
// empty command buffer behind others' work in order to wait for it.
func deviceWideSync(a *Analysis, f *facts) Finding {
	r := Finding{Cause: DeviceWideSync, Confidence: 0.9,
		Advice: "wait for what the thread itself needs (its last command buffer, or a shared event that it signals) instead of for the whole device"}
	if f.committers < 2 {
		return r.not("only %d thread committed work", f.committers)
	}
	s := a.syncs(f)
	switch {
	case s.foreign+s.barriers+s.needed == 0:
		return r.not("no thread that submits waited for work that another had committed")
	case s.foreign+s.barriers == 0:
		return r.not("threads waited, %s of their time, only for the work of some that do not wait for theirs: they may need what those make", percent(f.share(s.neededTime)))
	}
	r.Lost = s.lost
	r.Holds = r.Lost > 0
	if !r.Holds {
		return r.not("waits for others' work ended no later than the threads' own work, or while the GPU was saturated")
	}
	if s.foreign > 0 {
		others := plural(s.partners(), "other")
		r.say("%d of %d waits (%s of the threads' time) were for work that another thread had committed; each of %d threads waited for up to %s",
			s.foreign, s.waits, percent(f.share(s.foreignTime)), len(s.waiters), others)
	}
	if s.barriers > 0 {
		r.say("%d waits were for empty command buffers queued behind other threads' work", s.barriers)
	}
	r.say("after their own work was done, threads went on waiting for %s in all, %s of their time", s.lost, percent(f.share(s.lost)))
	if f.buffers > 0 {
		r.say("the GPU was busy for %s of the time from the first commit to the last completion", percent(f.busy))
	} else {
		r.Confidence = 0.6
		r.say("there are no GPU times: whether the GPU had room for more cannot be told")
	}
	return r
}

// syncUse sums the waits that reach beyond the thread's own work.
type syncUse struct {
	waits, foreign, barriers int
	foreignTime, lost        analyze.Nanos
	barrierLost              analyze.Nanos // part of lost, in which empty command buffers were queued behind others' work
	needed                   int           // waits for the work of threads that do not wait for the waiter's
	neededTime               analyze.Nanos
	waiters                  map[*analyze.Thread]map[*analyze.Thread]bool // for whom each waited
}

// partners is how many others a thread waited for, at most.
func (s *syncUse) partners() (most int) {
	for _, p := range s.waiters {
		most = max(most, len(p))
	}
	return most
}

// everybody says which threads wait for everybody and not only for those whose work they need: they wait for most of the others, or
// for some that wait for them, which work that is needed could not, directly or by way of others.
func (s *syncUse) everybody(committers int) map[*analyze.Thread]bool {
	all := map[*analyze.Thread]bool{}
	for t, for_ := range s.waiters {
		if n := len(for_); n >= 2 && n*4 >= (committers-1)*3 {
			all[t] = true
			continue
		}
		seen := map[*analyze.Thread]bool{}
		next := []*analyze.Thread{t}
		for len(next) > 0 && !all[t] {
			from := next[0]
			next = next[1:]
			for other := range s.waiters[from] {
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

func (a *Analysis) syncs(f *facts) *syncUse {
	s := &syncUse{waiters: map[*analyze.Thread]map[*analyze.Thread]bool{}}
	own := map[*analyze.Thread]*commits{}
	encoded := a.Trace.Encoded()
	for _, b := range a.Trace.CommandBuffers {
		if t := b.Committed.Thread; t != nil {
			if own[t] == nil {
				own[t] = &commits{}
			}
			own[t].buffers = append(own[t].buffers, b)
		}
	}
	for _, c := range own {
		c.sort()
	}
	for i := range a.Trace.Waits {
		if w := &a.Trace.Waits[i]; own[w.Thread] != nil && Awaited(w) != nil && Awaited(w) != w.Thread {
			if s.waiters[w.Thread] == nil {
				s.waiters[w.Thread] = map[*analyze.Thread]bool{}
			}
			s.waiters[w.Thread][Awaited(w)] = true
		}
	}
	everybody := s.everybody(f.committers)
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		s.waits++
		from := Awaited(w)
		mine := own[w.Thread]
		if from == nil || mine == nil {
			continue
		}
		if from != w.Thread {
			if !everybody[w.Thread] {
				s.needed++
				s.neededTime += w.Length()
				continue
			}
			s.foreign++
			s.foreignTime += w.Length()
			late := analyze.Interval{Begin: max(w.Begin, mine.doneBy(w.Begin)), End: w.End}
			s.lost += a.notSaturated(f, late, w.Buffer)
			continue
		}
		if b := w.Buffer; encoded && b != nil && b.Empty() {
			queued := queuedPart(w)
			d := a.deviceOf(b)
			if d.all.Within(queued)-d.byThread[w.Thread].Within(queued) > 0 {
				s.barriers++
				late := analyze.Interval{Begin: max(queued.Begin, mine.workDoneBy(w.Begin)), End: queued.End}
				if !f.saturated {
					s.barrierLost += d.all.Within(late) - d.byThread[w.Thread].Within(late)
					s.lost += w.End - min(late.Begin, w.End) // an empty command buffer takes a launch, too
				}
			}
		}
	}
	return s
}

// commits are the command buffers of one thread, by commit.
type commits struct {
	buffers []*analyze.CommandBuffer
	done    []analyze.Nanos // latest end on the GPU of buffers[:i+1]
	work    []analyze.Nanos // the same, of those that are not empty
}

func (c *commits) sort() {
	slices.SortStableFunc(c.buffers, func(x, y *analyze.CommandBuffer) int { return compare(x.Committed.Begin, y.Committed.Begin) })
	var done, work analyze.Nanos
	for _, b := range c.buffers {
		done = max(done, b.GPU.End)
		if len(b.Encoders) > 0 {
			work = max(work, b.GPU.End)
		}
		c.done, c.work = append(c.done, done), append(c.work, work)
	}
}

func (c *commits) before(t analyze.Nanos) int {
	i, _ := slices.BinarySearchFunc(c.buffers, t, func(b *analyze.CommandBuffer, t analyze.Nanos) int { return compare(b.Committed.Begin, t) })
	return i
}

// doneBy is when the GPU had done all that the thread committed before t.
func (c *commits) doneBy(t analyze.Nanos) analyze.Nanos {
	if i := c.before(t); i > 0 {
		return c.done[i-1]
	}
	return 0
}

// workDoneBy is doneBy without empty command buffers.
func (c *commits) workDoneBy(t analyze.Nanos) analyze.Nanos {
	if i := c.before(t); i > 0 {
		return c.work[i-1]
	}
	return 0
}
