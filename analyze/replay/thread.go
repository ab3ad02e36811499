package replay

import (
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

func (r *playing) op(t int32) *op { return &r.program.threads[t].ops[r.threads[t].next] }

// gap is the time that the thread takes before its next call.
func (r *playing) gap(t int32) analyze.Nanos {
	o := r.op(t)
	gap := o.gap
	if r.left(o) && o.kind == opCommit {
		gap = 0
	}
	if r.Locks {
		gap = o.unlocked
	}
	if r.Foreign {
		gap -= evidence.Scaled(gap, o.hangs)
	}
	if r.Fed {
		gap -= o.starved
	}
	if r.Turns {
		gap -= o.turn
	}
	if r.Allocate {
		gap -= evidence.Scaled(o.gap, r.program.threads[t].makes)
	}
	if r.Launch {
		each := o.encode + evidence.Scaled(gap-o.encode, r.ofLaunches)
		gap -= each - each/policy.FewerLaunches
	}
	if r.Compile {
		gap = evidence.Scaled(gap, r.program.threads[t].undisturbed())
	}
	if asleep := evidence.Scaled(gap, 1-r.program.threads[t].busy); asleep >= policy.Wakeup.Nanos() { // it is woken once
		gap -= min(asleep, r.handOvers.sooner)
	}
	return r.own(t, r.faster(t, o, max(0, gap)))
}

// own is a time of a thread's own, with a processor at once when there is one for every thread.
func (r *playing) own(t int32, d analyze.Nanos) analyze.Nanos {
	if r.Change.Cores {
		return evidence.Scaled(d, r.program.threads[t].undisturbed())
	}
	return d
}

// undisturbed is the share that is left of a thread's own time when it has a processor whenever it wants one.
func (t *thread) undisturbed() float64 { return min(1, t.free/t.left) }

// over ends the thread's call after a time.
func (r *playing) over(t int32, cost analyze.Nanos, busy float64) {
	r.spend(r.now, cost, busy, evOver, t)
}

// step begins the thread's next call.
func (r *playing) step(t int32) {
	o, busy := r.op(t), r.program.threads[t].busy
	if r.left(o) {
		if o.kind == opCommit {
			r.passed(t, o)
		} else {
			r.over(t, 0, 0)
		}
		return
	}
	switch o.kind {
	case opAcquire:
		q := &r.queues[r.program.jobs[o.job].queue]
		if q.used >= r.program.queues[r.program.jobs[o.job].queue].capacity && !r.Depth {
			q.waiting.push(t)
			return
		}
		q.used++
		r.over(t, r.share(r.call(t, analyze.PartAcquire, o.cost)), busy)
	case opEnqueue:
		if !r.Head {
			q := &r.queues[r.program.jobs[o.job].queue]
			q.order.push(o.job)
		}
		r.over(t, r.call(t, analyze.PartCommit, o.cost), busy)
	case opCommit:
		switch {
		case r.Locks:
			r.spend(r.now, r.own(t, r.share(r.call(t, analyze.PartCommit, r.committing(o.solo)))), busy, evCommit, t)
		case o.hold > 0 && (!r.fixed || r.Change.Cores):
			r.lock(t, o)
		default:
			r.spend(r.now, r.own(t, r.share(r.call(t, analyze.PartCommit, r.committing(o.cost)))), busy, evCommit, t)
		}
	case opForeign, opWait:
		r.wait(t, o)
	case opCompile:
		cost := r.call(t, analyze.PartCompile, o.cost)
		if r.Compile {
			cost = 0
		}
		r.over(t, cost, 0)
	case opLock:
		r.lock(t, o)
	case opSignal:
		r.given[o.given] = true
		r.feedAll()
		r.over(t, 0, 0)
	case opAsk:
		r.ask(t, o)
	case opTake:
		r.take(t, o)
	case opAnswer:
		r.answer(t, o)
	case opGive:
		r.give(t, o)
	case opHear:
		r.hear(t, o)
	case opRelease:
		r.release(t, o)
	}
}

// wait begins a wait for work.
func (r *playing) wait(t int32, o *op) {
	job := r.awaited(t, o)
	switch {
	case (o.kind == opForeign || o.barrier) && r.Foreign, job == nothing:
		r.over(t, 0, 0)
	case job == unknown:
		r.over(t, o.cost, 0)
	case r.jobs[job].seen:
		r.over(t, max(o.cost, r.jobs[job].end+r.jobs[job].late+r.notify(o, job)-r.now), 0)
	default:
		r.await(t, job)
	}
}

// await puts the thread behind those that wait for a job.
func (r *playing) await(t, job int32) {
	s := &r.jobs[job]
	if r.threads[t].behind = 0; s.waiter == 0 {
		s.waiter = t + 1
	} else {
		r.threads[s.last-1].behind = t + 1
	}
	s.last = t + 1
}

// What a wait may be for instead of a job.
const (
	unknown int32 = -1
	nothing int32 = -2
)

// awaited is what a wait is for. A program that waits for what another thread committed last does so in the replay too, where
// that may be something else than it was.
func (r *playing) awaited(t int32, o *op) int32 {
	if o.kind != opForeign || o.job == unknown || !r.newest.known {
		return r.inTurn(t, o)
	}
	from := r.program.jobs[o.job].by
	until := r.now
	if own := r.done[t].commits; r.newest.asOfCommit {
		if len(own) == 0 {
			return nothing
		}
		until = own[len(own)-1]
	}
	theirs := r.done[from].commits
	n := sort.Search(len(theirs), func(i int) bool { return theirs[i] > until }) - 1 - r.newest.before
	if n < 0 {
		return nothing
	}
	return r.program.threads[from].jobs[n]
}

// advance ends the thread's call and lets it go on to the next.
func (r *playing) advance(t int32) {
	s := &r.threads[t]
	s.next++
	if s.next == len(r.program.threads[t].ops) {
		r.finish(t)
		return
	}
	r.goOn(t, r.now)
}

// goOn lets the thread take its time before its next call: first what it sleeps for others, then what it does.
func (r *playing) goOn(t int32, from analyze.Nanos) {
	gap, asleep := r.gap(t), analyze.Nanos(0)
	if !r.Fed {
		asleep = min(gap, r.op(t).starved)
	}
	r.spend(from+asleep, gap-asleep, r.program.threads[t].busy, evThread, t)
}

// finish ends the thread when it has done all, and the GPU too.
func (r *playing) finish(t int32) {
	th, s := &r.program.threads[t], &r.threads[t]
	if s.next < len(th.ops) || s.inFlight > 0 {
		return
	}
	r.done[t].ended = r.now
	if th.paces && r.horizon == 0 {
		r.horizon = r.now
	}
	r.close(t)
}

// close says that the thread needs no further replay.
func (r *playing) close(t int32) {
	if s := &r.threads[t]; !s.closed {
		s.closed = true
		r.open--
	}
}

func (r *playing) commit(t int32) {
	o := r.op(t)
	j := &r.program.jobs[o.job]
	r.done[t].commits = append(r.done[t].commits, r.now)
	r.threads[t].inFlight++
	r.jobs[o.job].behind = r.isBehind(o.job)
	pre, latency := r.pre(o.job), r.latencyOf(j)
	if !j.enqueued || r.Head {
		q := &r.queues[j.queue]
		q.order.push(o.job)
	}
	r.at(r.now+latency-pre, pre, evReady, o.job)
	r.advance(t)
}
