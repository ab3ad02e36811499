package extract

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay/program"
)

// A span is the time range of a thread that the program covers: from its first to its last step.
type span struct {
	thread *analyze.Thread
	analyze.Interval
}

// addThreads adds the threads with their steps to the program.
func (b *builder) addThreads() {
	by := b.calls()
	b.addRequests(by)
	b.addDisplay(by)
	var links map[*analyze.Thread][]call
	if b.tied {
		links = b.addSignals(by)
	}
	first := analyze.Nanos(1 << 62)
	working := analyze.Interval{Begin: first} // of the threads that commit
	var threads []*analyze.Thread
	early := map[*analyze.Thread]analyze.Nanos{}
	for t, list := range by {
		sortCalls(list)
		early[t] = firstCompiles(list)
		list, b.polls[t] = withPolling(b.ev, b.buffers, t, withoutStart(withoutNested(list)))
		markNeedless(list)
		list = b.withoutEnd(withLinks(list, links[t]))
		by[t] = list
		first = min(first, list[0].Begin)
		if slices.ContainsFunc(list, func(c call) bool { return c.Kind == program.Commit }) {
			working.Begin, working.End = min(working.Begin, list[0].Begin), max(working.End, list[len(list)-1].End)
		}
		threads = append(threads, t)
	}
	slices.SortFunc(threads, func(x, y *analyze.Thread) int { return cmp.Compare(uint64(x.ID), uint64(y.ID)) })
	addLocks(b.ev, b.program, by)
	p := b.program
	p.Lasted = working.Length()
	b.events = map[eventValue]int32{}
	waits := evidence.WaitsUnion(b.ev.Trace)
	b.allocating = evidence.Allocating(b.ev.Trace)
	var spans []span
	for i, t := range threads {
		if b.servers[t] {
			p.Service.Servers = append(p.Service.Servers, int32(i))
		}
		p.Polls = p.Polls || b.polls[t]
		th, done := b.thread(t, by[t], waits)
		th.Begin, th.Early = by[t][0].Begin-first, max(0, early[t]-first)
		done.Begun, done.Ended = th.Begin, done.Ended-first
		for k := range done.Commits {
			done.Commits[k] -= first
		}
		for _, j := range th.Jobs {
			p.Jobs[j].By = int32(i)
		}
		th.Lasts = p.Lasts(&th, done.Ended)
		spans = append(spans, span{t, analyze.Interval{Begin: first + th.Begin, End: first + done.Ended}})
		p.Threads, p.Recorded = append(p.Threads, th), append(p.Recorded, done)
	}
	b.findLines(threads)
	p.FindPace()
	b.findClocks(threads)
	p.Pools = pools(p.Threads, b.ev.Starvation.At, spans)
	p.Barrier = b.meeting(spans)
	findUnlocked(p.Threads)
	p.Names.Locks = nameLocks(p.Threads, spans, by)
	addPortions(b.ev, p, b.buffers, spans)
	markFences(p)
	for t := range p.Recorded {
		p.Recorded[t].Add(p.Jobs, p.Threads[t].Jobs,
			func(j int32) analyze.Nanos { return b.buffers[j].GPU.End - first })
	}
	b.addProcessors(spans)
	p.Newest = newest(p, spans, by)
}

// thread builds the program's thread from recorded calls. `done` has the recorded times at which the thread's commits
// and the thread itself ended. `waits` has the times in which any thread waited for the GPU.
func (b *builder) thread(
	t *analyze.Thread, list []call, waits *evidence.Busy,
) (th program.Thread, done program.Progress) {
	th.Name = evidence.ThreadName(t)
	th.Steps, th.Details = make([]program.Step, 0, len(list)), make([]program.Detail, 0, len(list))
	var starving *evidence.Busy
	if !b.tied { // in a tied program, waits for producers are steps that end with the producer's signal
		starving = b.ev.Starvation.When[t]
	}
	at := list[0].Begin
	for _, c := range list {
		s, d := c.Step, c.detail
		before := analyze.Interval{Begin: at, End: c.Begin}
		s.Gap = c.Begin - at
		if d.Encode = min(s.Gap, d.Encode); s.Kind == program.Wait && len(th.Jobs) > 0 &&
			s.Job == th.Jobs[len(th.Jobs)-1] {
			d.Encode = s.Gap // the time between a commit and the wait for that commit is encoding of the next command buffer
		}
		s.Asleep, d.Turn = starving.LengthWithin(before), waits.LengthWithin(before)
		d.Allocates = evidence.Share(b.allocating[t].LengthWithin(before), s.Gap)
		at = c.End
		switch s.Kind {
		case program.Wait, program.WaitOther:
			if s.Job != program.Unknown {
				s.Handlers = min(s.Notify, b.program.Jobs[s.Job].Handlers)
				s.Notify -= s.Handlers
				if s.Kind == program.WaitOther && s.Notify+s.Handlers == 0 {
					s.Notify = program.NotRecorded
				}
			}
		case program.SetEvent:
			s.Number = int32(b.program.Events)
			b.events[eventValue{t, c.given}] = s.Number
			b.program.Events++
		case program.Commit:
			th.Jobs = append(th.Jobs, s.Job)
			done.Commits = append(done.Commits, c.End)
		case program.Lock:
			d.GuardsServer = !c.lock.OfInterpreter() && (b.servers[c.lock.Thread] || b.servers[c.lock.Holder])
		}
		th.Add(s, d)
	}
	done.Ended = at
	return th, done
}

// meeting returns the threads that pass a barrier together. It returns none if the program is not tied: then waits for
// other threads' signals take their recorded time, so there are no barriers to change.
func (b *builder) meeting(spans []span) (m program.Barrier) {
	met := b.ev.Barriers
	if !b.tied || met == nil {
		return m
	}
	for t, s := range spans {
		if met.Threads[s.thread] && len(b.program.Threads[t].Jobs) > 0 {
			m.Threads = append(m.Threads, int32(t))
		}
	}
	m.Rotates = met.Rotates()
	return m
}

// pools returns the groups of threads that commit and that wait for work at the same object; `at` has the object of
// each thread.
func pools(threads []program.Thread, at map[*analyze.Thread]evidence.LockKey, spans []span) (all [][]int32) {
	by := map[evidence.LockKey][]int32{}
	for t, s := range spans {
		if place, waits := at[s.thread]; waits && len(threads[t].Jobs) > 0 {
			by[place] = append(by[place], int32(t))
		}
	}
	for _, pool := range by {
		if len(pool) > 1 {
			all = append(all, pool)
		}
	}
	slices.SortFunc(all, slices.Compare)
	return all
}
