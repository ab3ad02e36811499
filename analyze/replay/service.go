package replay

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// handedOver is the work that threads give to one other that submits for them.
type handedOver struct {
	thread *analyze.Thread // that submits; nil when all do for themselves
	index  int32           // among the program's threads
	pieces int
	batch  bool // it gives most answers together with others
}

// A service is in a replay what one thread does for another that handed its work over and waits for the answer.
type service struct {
	asked, answered bool
	asker           int32 // that waits for the answer
	waiting         bool  // the thread that submits waits to be asked
}

// services puts into the threads' calls how they hand their work over: each asks and waits for the answer, and the thread that submits
// waits to be asked for the next and answers, in the order in which it did.
func (ev *builder) services(p *program, by map[*analyze.Thread][]step, window analyze.Interval) {
	h := ev.Handover
	if !h.Holds() {
		return
	}
	inside := func(i analyze.Interval) bool { return i.Begin >= window.Begin && i.End <= window.End }
	var asleep []analyze.SignalWait // those of the thread that submits
	for i := range ev.ForSignals {
		if w := &ev.ForSignals[i]; w.Thread == h.To && !w.GivenBack && inside(w.Interval) {
			asleep = append(asleep, *w)
		}
	}
	p.submitter.thread, p.submitter.batch = h.To, policy.MoreThan(policy.Most, h.Batched, len(h.Replies))
	from := analyze.Nanos(-1 << 62)
	for r := range analyze.Each(h.Replies) {
		if !inside(r.Interval) || r.At < r.Begin || r.At > r.End {
			continue
		}
		k := int32(p.submitter.pieces)
		p.submitter.pieces++
		by[r.Thread] = append(by[r.Thread], step{r.Interval, op{kind: opAsk, job: unknown, piece: k, waited: r.At - r.Begin, notify: r.End - r.At}})
		own := by[h.To]
		slept := false
		for ; len(asleep) > 0 && asleep[0].End <= r.At; asleep = asleep[1:] {
			if w := &asleep[0]; w.Begin >= from {
				o := op{kind: opTake, job: unknown, piece: k, waited: w.Length()}
				if w.Signalled > w.Begin && w.Signalled < w.End {
					o.notify = w.End - w.Signalled
				}
				if k == 0 { // what it waits before the first is no part of the run
					w.Begin = w.End
				}
				own, slept = append(own, step{w.Interval, o}), true
			}
		}
		if !slept && from > 0 {
			own = append(own, step{analyze.Interval{Begin: from, End: from}, op{kind: opTake, job: unknown, piece: k}})
		}
		by[h.To] = append(own, step{analyze.Interval{Begin: r.At, End: r.At}, op{kind: opAnswer, job: unknown, piece: k}})
		from = r.At
	}
}

// ask hands work over.
func (r *playing) ask(t int32, o *op) {
	s := &r.services[o.piece]
	s.asked, s.asker = true, t
	if s.answered {
		r.over(t, o.notify, 0)
	}
	if s.waiting {
		s.waiting = false
		r.over(r.submitter.index, r.op(r.submitter.index).notify, 0)
	}
}

// take waits to be asked.
func (r *playing) take(t int32, o *op) {
	if s := &r.services[o.piece]; s.asked {
		r.over(t, 0, 0)
	} else {
		s.waiting = true
	}
}

// answer lets the thread go on that asked.
func (r *playing) answer(t int32, o *op) {
	s := &r.services[o.piece]
	s.answered = true
	if s.asked {
		r.over(s.asker, r.op(s.asker).notify, 0)
	}
	r.over(t, 0, 0)
}

// pieces are what one thread did for others: the calls for each piece of work, and what passed after the last of them to the answer.
type pieces struct {
	ops  [][]op
	over []analyze.Nanos
	busy float64 // share of the time that it was on a processor
}

// pieces are what the thread that submits did, without what it waited for processors and what it takes to answer: the way to it, and a part of what it
// then runs before it does the next, to wake those who asked.
func (p *program) pieces() pieces {
	submitter := &p.threads[p.submitter.index]
	w := pieces{make([][]op, p.submitter.pieces), make([]analyze.Nanos, p.submitter.pieces), 0}
	at := int32(-1)
	for i := range submitter.ops {
		switch o := &submitter.ops[i]; {
		case o.kind == opTake:
			at = o.piece
		case o.kind == opAnswer:
			w.over[o.piece], at = o.gap, -1
		case at >= 0:
			w.ops[at] = append(w.ops[at], *o)
		}
	}
	left, answer := submitter.undelayed(), answering(w)
	var own, answered analyze.Nanos
	for k := range w.ops {
		for i := range w.ops[k] {
			own += w.ops[k][i].own()
		}
		if len(w.ops[k]) > 0 { // it has just answered
			first := &w.ops[k][0]
			woke := evidence.Scaled(first.gap, submitter.busy*policy.OfAnswers)
			answered += woke
			first.gap, first.unlocked = first.gap-woke, max(0, first.unlocked-woke)
		}
		scaleOps(w.ops[k], left)
		w.over[k] = evidence.Scaled(max(0, w.over[k]-answer), left)
	}
	w.busy = (submitter.busy*float64(own) - float64(answered)) / float64(max(1, own-answered)) / left
	return w
}

// apart is the program without the thread that submits for others: each does its own work itself, on a queue of its own.
func (p *program) apart() *program {
	q := p.clone()
	q.queues, q.threads, q.submitter = slices.Clone(p.queues), nil, handedOver{}
	work := p.pieces()
	for t := range p.threads {
		if int32(t) == p.submitter.index {
			continue
		}
		th := p.threads[t]
		asks := slices.ContainsFunc(th.ops, func(o op) bool { return o.kind == opAsk })
		if asks {
			th = p.onItsOwn(&th, work, q.jobs, int32(len(q.threads)), int32(len(q.queues)))
			q.queues = append(q.queues, queueOf{capacity: evidence.DefaultCapacity, device: p.queues[0].device, most: 1})
		}
		if len(th.ops) == 0 {
			continue
		}
		th.lasts = policy.AtLeast(policy.Most, p.recorded[t].ended-th.begin, p.lasted) && policy.MoreThan(policy.Negligible, len(th.jobs), len(p.jobs))
		q.threads = append(q.threads, th)
	}
	q.findPace()
	return q
}

// onItsOwn is a thread that does what was done for it: as that thread of the new program, on that queue.
func (p *program) onItsOwn(th *thread, work pieces, jobs []job, t, queue int32) thread {
	n := *th
	n.ops, n.jobs = nil, nil
	undelayed := th.undelayed()
	var left, given, mine analyze.Nanos // of what was done for it, before its next call; all of that; its own time
	for _, o := range th.ops {
		o.gap, o.unlocked = evidence.Scaled(o.gap, undelayed), evidence.Scaled(o.unlocked, undelayed)
		mine += o.gap
		o.gap, o.unlocked, left = o.gap+left, o.unlocked+left, 0
		switch {
		case o.kind == opLock && p.guards(&o):
			left = o.gap
			continue
		case o.kind != opAsk:
			if n.ops = append(n.ops, o); o.kind == opCommit {
				n.jobs = append(n.jobs, o.job)
			}
			continue
		}
		moved, took := p.moved(work.ops[o.piece], jobs, t, queue)
		for i := range moved {
			given += moved[i].gap
			if moved[i].kind == opCommit {
				n.jobs = append(n.jobs, moved[i].job)
			}
		}
		given += took
		if len(moved) == 0 { // only a part of a command buffer: what it took shows in when the answer came
			given, left = given+work.over[o.piece], o.gap+took+work.over[o.piece]
		} else {
			moved[0].gap, moved[0].unlocked, left = moved[0].gap+o.gap, moved[0].unlocked+o.gap, took
		}
		n.ops = append(n.ops, moved...)
	}
	n.busy = min(1, (float64(mine)*th.busy*(1-policy.OfAnswers)/undelayed+float64(given)*work.busy)/float64(max(1, mine+given)))
	return n
}

// answering is what it takes to answer: what passes from a wait for the GPU, with which most pieces of work end, to the answer.
func answering(w pieces) analyze.Nanos {
	var all []analyze.Nanos
	for k, ops := range w.ops {
		if n := len(ops); n > 0 && ops[n-1].kind == opWait {
			all = append(all, w.over[k])
		}
	}
	return evidence.Median(all)
}

// undelayed is the share that is left of a thread's own time without what it waited in it for processors. Those who hand work over wake each
// other all the time and wait for processors with that; what they wait for them without, the replay adds.
func (t *thread) undelayed() float64 { return min(1, t.quiet/t.left) }

func scaleOps(ops []op, by float64) {
	for i := range ops {
		ops[i].gap, ops[i].unlocked = evidence.Scaled(ops[i].gap, by), evidence.Scaled(ops[i].unlocked, by)
	}
}

// moved is what the submitter did for a thread, for that thread to do; took is the time of what was only a part of a command buffer.
// A command buffer is the thread's that has it committed.
func (p *program) moved(work []op, jobs []job, t, queue int32) (moved []op, took analyze.Nanos) {
	for _, o := range work {
		o.gap, o.unlocked, took = o.gap+took, o.unlocked+took, 0
		switch o.kind {
		case opLock: // that guards what is handed over
			if p.guards(&o) {
				took = o.gap
				continue
			}
		case opAcquire:
			took = o.gap + o.cost
			continue
		case opCommit:
			j := &jobs[o.job]
			j.by, j.queue = t, queue
			moved = append(moved, op{kind: opAcquire, job: o.job, gap: o.gap, unlocked: o.unlocked})
			o.gap, o.unlocked = 0, 0
		}
		moved = append(moved, o)
	}
	return moved, took
}

// guards says whether a lock is one that is there to hand work over: who submits waits for it, or is waited for.
func (p *program) guards(o *op) bool {
	return !o.wait.OfInterpreter() && (o.wait.Thread == p.submitter.thread || o.wait.Holder == p.submitter.thread)
}
