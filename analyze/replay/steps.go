package replay

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A step is one call of a thread in the recorded run.
type step struct {
	analyze.Interval
	op
}

// steps lists what each thread did, by time.
func (ev *builder) steps(p *program, index *jobIndex, window analyze.Interval) {
	by := ev.calls(index, window)
	ev.services(p, by, window)
	var links map[*analyze.Thread][]step
	if ev.linked {
		links = ev.linkedSteps(p, by, window)
	}
	first := analyze.Nanos(1 << 62)
	working := analyze.Interval{Begin: first} // of the threads that commit
	var threads []*analyze.Thread
	early := map[*analyze.Thread]analyze.Nanos{}
	buffers := index.buffers
	for t, list := range by {
		slices.SortStableFunc(list, func(x, y step) int {
			return cmp.Or(cmp.Compare(x.Begin, y.Begin), cmp.Compare(x.kind.waits(), y.kind.waits()), cmp.Compare(y.End, x.End))
		})
		early[t] = withCompilation(list)
		list, paced := ev.paced(t, withoutStart(withoutNested(list)), buffers)
		findEntailed(list)
		list = withLinks(list, links[t])
		if by[t] = list; paced {
			p.paced[t] = true
		}
		first = min(first, list[0].Begin)
		if slices.ContainsFunc(list, func(s step) bool { return s.kind == opCommit }) {
			working.Begin, working.End = min(working.Begin, list[0].Begin), max(working.End, list[len(list)-1].End)
		}
		threads = append(threads, t)
	}
	slices.SortFunc(threads, func(x, y *analyze.Thread) int { return cmp.Compare(uint64(x.ID), uint64(y.ID)) })
	ev.holds(p, by)
	union := ev.WaitsUnion()
	var spans []span
	p.lasted = working.Length()
	for i, t := range threads {
		if t == p.submitter.thread {
			p.submitter.index = int32(i)
		}
		list := by[t]
		at := list[0].Begin
		th, done := thread{name: evidence.ThreadName(t), begin: at - first, early: max(0, early[t]-first)}, run{begun: at - first}
		for _, s := range list {
			s.gap = s.Begin - at
			if s.encode = min(s.gap, s.encode); s.kind == opWait && len(th.jobs) > 0 && s.job == th.jobs[len(th.jobs)-1] {
				s.encode = s.gap // on the way from a commit to the wait for it
			}
			s.op.starved = p.starving[t].Within(analyze.Interval{Begin: at, End: s.Begin})
			s.op.turn = union.Within(analyze.Interval{Begin: at, End: s.Begin})
			at = s.End
			th.ops = append(th.ops, s.op)
			if s.kind == opCommit {
				p.jobs[s.job].by = int32(i)
				th.jobs = append(th.jobs, s.job)
				done.commits = append(done.commits, s.End-first)
			}
		}
		done.ended = at - first
		th.lasts = policy.AtLeast(policy.Most, done.ended-th.begin, p.lasted) && policy.MoreThan(policy.Negligible, len(th.jobs), len(p.jobs))
		spans = append(spans, span{t, analyze.Interval{Begin: first + th.begin, End: at}})
		p.threads, p.recorded = append(p.threads, th), append(p.recorded, done)
	}
	p.findPace()
	p.findPools(ev.Starvation.At, spans)
	p.findUnlocked()
	p.nameLocks(spans, by)
	p.findParts(ev, buffers, spans)
	p.findFences()
	for t := range p.recorded {
		p.recorded[t].end(p, p.threads[t].jobs, func(j int32) analyze.Nanos { return buffers[j].GPU.End - first })
	}
	ev.useByProgram(p, spans)
	p.findNewest(spans, by)
}

// calls are the threads' calls that a replay is made of.
func (ev *builder) calls(index *jobIndex, window analyze.Interval) map[*analyze.Thread][]step {
	by := map[*analyze.Thread][]step{}
	add := func(c analyze.Call, o op) {
		if c.Thread != nil && c.Known() && c.Begin >= window.Begin && c.End <= window.End {
			by[c.Thread] = append(by[c.Thread], step{c.Interval, o})
		}
	}
	commitSolo, acquire, encoded := ev.SoloCommit(), ev.acquireCosts(), ev.Trace.Encoded()
	for job, b := range index.buffers {
		i := int32(job)
		cost := b.Created.Length()
		if usual, full := acquire[b.Queue]; full {
			cost = min(cost, usual)
		}
		add(b.Created, op{kind: opAcquire, job: i, cost: cost})
		if b.Enqueued.Known() {
			add(b.Enqueued, op{kind: opEnqueue, job: i, cost: b.Enqueued.Length()})
		}
		cost, encode := b.Committed.Length(), analyze.Nanos(0)
		if n := len(b.Encoders); n > 0 {
			encode = max(0, b.Encoders[n-1].Ended.End-b.Encoders[0].Created.Begin)
		}
		add(b.Committed, op{kind: opCommit, job: i, cost: cost, solo: min(cost, commitSolo), encode: encode})
	}
	for w := range analyze.Each(ev.Trace.Waits) {
		o := op{kind: opWait, job: unknown, cost: w.Length()}
		if i, known := index.job(w.Buffer); known && !w.Scheduled && !w.Unfinished {
			b := index.buffers[i]
			o = waitFor(w.Interval, b, i)
			o.barrier = encoded && b.Empty()
		}
		if ev.ForOthers(w) {
			o.kind = opForeign
		}
		add(w.Call, o)
	}
	for _, c := range ev.Trace.Compilations {
		add(c.Call, op{kind: opCompile, job: unknown, cost: c.Length()})
	}
	for s := range analyze.Each(ev.Trace.Signals) {
		add(analyze.Call{Interval: analyze.Interval{Begin: s.At, End: s.At}, Thread: s.Thread}, op{kind: opSignal, job: unknown, signal: s})
	}
	for l := range ev.lockWaits() {
		add(l.Call, op{kind: opLock, job: unknown, cost: l.Length(), wait: l})
	}
	return by
}

// waitFor is a wait for a command buffer.
func waitFor(w analyze.Interval, b *analyze.CommandBuffer, job int32) op {
	o := op{kind: opWait, job: job}
	if w.Begin > b.GPU.End {
		o.cost = w.Length()
	} else {
		o.notify, o.waited = w.End-b.GPU.End, min(max(b.GPU.End, b.Completed.Begin), w.End)-w.Begin
	}
	return o
}

// withCompilation is when a thread began to work on command buffers, or to compile before that.
func withCompilation(list []step) analyze.Nanos {
	return list[max(0, slices.IndexFunc(list, func(s step) bool { return s.kind != opLock }))].Begin
}

// withoutStart leaves out what a thread did before it began to work on command buffers, if it did.
func withoutStart(list []step) []step {
	return list[max(0, slices.IndexFunc(list, func(s step) bool { return s.kind != opLock && s.kind != opCompile })):]
}

// withoutNested leaves out calls inside others; a wait for a lock inside another call is a part of that call which goes with the
// lock.
func withoutNested(list []step) []step {
	kept := list[:0]
	for _, s := range list {
		if n := len(kept); n > 0 && s.Begin < kept[n-1].End {
			switch s.kind {
			case opSignal, opTake, opAnswer: // others wait for it
				s.Interval = analyze.Interval{Begin: kept[n-1].End, End: kept[n-1].End}
				kept = append(kept, s)
				continue
			}
			if outer := &kept[n-1]; s.kind == opLock && outer.kind == opCommit && s.End <= outer.End {
				outer.nested += s.cost
				outer.solo = min(outer.solo, outer.cost-outer.nested)
			}
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// acquireCosts is what making command buffers of queues that were full at times takes when they are not: what the fastest tenth
// took of those that did not find the queue full. They may have waited nevertheless, where others were taking the last places.
func (ev *builder) acquireCosts() map[*analyze.Queue]analyze.Nanos {
	full := map[*analyze.Queue][]analyze.Nanos{}
	blocked := make([]bool, ev.Trace.IndexCount())
	for _, made := range ev.FullQueue {
		full[made.Buffer.Queue], blocked[made.Buffer.Index] = nil, true
	}
	for b := range ev.Trace.Buffers() {
		if _, any := full[b.Queue]; any && b.Created.Known() && !blocked[b.Index] {
			full[b.Queue] = append(full[b.Queue], b.Created.Length())
		}
	}
	costs := map[*analyze.Queue]analyze.Nanos{}
	for q, all := range full {
		if costs[q] = policy.UsualAcquire; len(all) > 0 {
			slices.Sort(all)
			costs[q] = all[len(all)/policy.Quick]
		}
	}
	return costs
}
