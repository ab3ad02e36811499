package replay

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A span is the part of a thread's life that is replayed.
type span struct {
	thread *analyze.Thread
	analyze.Interval
}

// useByProgram finds how much of its own time each thread was on a processor, and how much the framework's own threads were for
// each command buffer: what the process used and the program's threads did not in their own time. What these used in waits, to sleep
// and wake, is the framework's. Without both nothing shares processors in a replay.
func (ev *builder) useByProgram(p *program, spans []span) {
	var covered, lasted, onOwn, polling analyze.Nanos
	window := p.working(spans)
	processes := map[*analyze.Process]bool{}
	for i, s := range spans {
		cpu := s.thread.CPUIn(s.Interval)
		works := p.threads[i].works()
		if works {
			covered, lasted = covered+cpu.Covered, lasted+s.Length()
		}
		own, notified := p.threads[i].sum((*op).own), p.threads[i].sum(func(o *op) analyze.Nanos { return o.notify }) // from the GPU's ends to the returns of waits
		p.threads[i].quiet, p.threads[i].free, p.threads[i].left = 1, 1, 1
		if cpu.Waited > 0 {
			p.threads[i].quiet = max(policy.LeastQuiet, 1-evidence.Share(cpu.Waited, own+notified)*evidence.Share(s.Length(), cpu.Covered))
		}
		if slept := cpu.Slept(); slept != analyze.NotKnown && cpu.Covered > 0 {
			whole := evidence.Share(s.Length(), cpu.Covered) // of which so much is known
			p.threads[i].free = min(1, evidence.Share(evidence.Scaled(cpu.Ran, whole)+max(0, evidence.Scaled(slept, whole)-p.threads[i].sum((*op).asleep)), own))
		}
		if p.threads[i].helps() && !policy.AtLeast(policy.Much, cpu.Ran, cpu.Covered) {
			continue
		}
		p.threads[i].busy = min(1, evidence.Share(cpu.Ran, own)*evidence.Share(s.Length(), max(1, cpu.Covered)))
		within := analyze.Interval{Begin: max(s.Begin, window.Begin), End: min(s.End, window.End)}
		onOwn += evidence.Scaled(own, p.threads[i].busy*evidence.Share(within.Length(), s.Length()))
		if p.paced[s.thread] || p.threads[i].takesTurns() || p.submitter.pieces > 0 && s.thread != p.submitter.thread && len(p.threads[i].jobs) == 0 {
			// What it used beyond was to ask whether its work is done, or it is its turn, over and over, or to be woken for others' answers.
			polling += max(0, evidence.Scaled(cpu.Ran, evidence.Share(s.Length(), max(1, cpu.Covered)))-evidence.Scaled(own, p.threads[i].busy))
		}
		if works && s.thread.Process != nil {
			processes[s.thread.Process] = true
		}
	}
	if !policy.AtLeast(policy.Most, covered, lasted) {
		return
	}
	p.processors = ev.Processors.Count
	var all, known analyze.Nanos
	for process := range processes {
		cpu := process.CPUIn(window)
		all, known = all+cpu.Ran, known+cpu.Covered
		if whole := evidence.Share(window.Length(), cpu.Covered); cpu.Waited > 0 {
			p.waitedFor += evidence.Scaled(cpu.Waited, whole)
		}
	}
	p.used = evidence.Share(all, known) * float64(len(processes))
	if policy.AtLeast(policy.Most, known, window.Length()*analyze.Nanos(len(processes))) && known > 0 {
		used := float64(all)/float64(known)*float64(window.Length()*analyze.Nanos(len(processes))) - float64(onOwn+polling)
		if ev.Trace.Source.SoftwareMetal {
			used -= p.findOnProcessors(used)
		}
		p.framework = analyze.Nanos(max(0, used) / (float64(len(p.jobs)) - float64(p.behind)/2)) // what stood behind other work took half of it
	}
}

// sum adds up a time of each of the thread's calls.
func (t *thread) sum(time func(*op) analyze.Nanos) analyze.Nanos {
	return evidence.SumOf(analyze.Each(t.ops), time)
}

// helps says whether the thread makes no call of Metal's, and waits for locks only. If it runs little, it is taken to work for the command
// buffers of others: most such threads are the framework's own.
func (t *thread) helps() bool {
	return !slices.ContainsFunc(t.ops, func(o op) bool { return o.kind != opLock && !o.kind.links() })
}

// takesTurns says whether the thread waits for turns, for which it may have run.
func (t *thread) takesTurns() bool {
	return slices.ContainsFunc(t.ops, func(o op) bool { return o.kind == opLock && evidence.IsTurn(o.wait) })
}

// works says whether the thread has to do with command buffers: what others do, as to compile before there are any, may be no part of the run.
func (t *thread) works() bool {
	return slices.ContainsFunc(t.ops, func(o op) bool { return o.kind != opLock && o.kind != opCompile && !o.kind.links() })
}

// working is the time in which such threads work.
func (p *program) working(spans []span) (all analyze.Interval) {
	all.Begin = 1 << 62
	for i, s := range spans {
		if p.threads[i].works() {
			all.Begin, all.End = min(all.Begin, s.Begin), max(all.End, s.End)
		}
	}
	return all
}

// asleep is the part of a call, and of the time before it, in which the thread waits for what a replay knows.
func (o *op) asleep() analyze.Nanos {
	switch o.kind {
	case opWait, opForeign, opAsk, opTake, opHear:
		return o.starved + o.waited
	case opLock, opCompile:
		return o.starved + o.cost
	case opCommit:
		return o.starved + o.nested
	}
	return o.starved
}

// own is the part of a call, and of the time before it, in which the thread does not wait for what a replay knows.
func (o *op) own() analyze.Nanos {
	awake := o.gap - o.starved
	switch o.kind {
	case opAcquire, opEnqueue:
		return awake + o.cost
	case opCommit:
		return awake + o.solo
	}
	return awake
}

// removeDelays takes out of the recorded times what threads waited for processors in them. The replay adds that again: as much is taken out
// as it adds to the unchanged program. Without that it adds a little less, so this is repeated.
func (p *program) removeDelays() {
	if p.processors == 0 {
		return
	}
	recorded := p.clone()
	for range 3 {
		r, ends := p.play(Change{})
		if !ends {
			return
		}
		for t := range p.threads {
			own := evidence.SumOf(analyze.Each(recorded.threads[t].ops[:r.threads[t].next]), (*op).own)
			p.threads[t].scale(&recorded.threads[t], evidence.Share(r.waited[t], own), r.after.mean())
		}
		for i := range p.jobs {
			j, was := &p.jobs[i], &recorded.jobs[i]
			j.latency = max(min(was.latency, p.framework/2), was.latency-r.before.mean())
			j.complete = max(0, was.complete-r.after.mean())
			if p.onProcessors {
				j.duration = max(j.alone, was.duration-r.jobs[i].stood)
			}
		}
		p.usualNotify = max(0, recorded.usualNotify-r.after.mean())
		p.usualLatency = max(0, recorded.usualLatency-r.before.mean())
	}
}

// scale makes the thread's times those that were recorded, without a share of its own and so much of each wait's end.
func (t *thread) scale(was *thread, delayed float64, notify analyze.Nanos) {
	left := max(was.busy, 1-delayed)
	if left <= 0 {
		left = 1
	}
	for i := range t.ops {
		o, r := &t.ops[i], &was.ops[i]
		o.gap, o.unlocked = o.starved+evidence.Scaled(r.gap-o.starved, left), o.starved+evidence.Scaled(max(0, r.unlocked-o.starved), left)
		o.encode, o.turn = evidence.Scaled(r.encode, left), evidence.Scaled(r.turn, left)
		switch o.kind {
		case opAcquire, opEnqueue, opCommit:
			o.cost, o.solo = evidence.Scaled(r.cost, left), evidence.Scaled(r.solo, left)
		}
		if r.notify > 0 {
			o.notify = max(1, r.notify-notify)
		}
	}
	t.busy, t.left = min(1, was.busy/left), left
}
