package serial

import "mtrace/analyze"

// A span is the part of a thread's life that is replayed.
type span struct {
	thread *analyze.Thread
	analyze.Interval
}

// useByProgram finds how much of its own time each thread was on a processor, and how much the framework's own threads were for
// each command buffer: what the process used and the program's threads did not. Without both nothing shares processors in a replay.
func (a *Analysis) useByProgram(p *program, spans []span) {
	var covered, lasted, ran analyze.Nanos
	window := analyze.Interval{Begin: 1 << 62}
	processes := map[*analyze.Process]bool{}
	for i, s := range spans {
		cpu := s.thread.CPUIn(s.Interval)
		covered, lasted, ran = covered+cpu.Covered, lasted+s.Length(), ran+cpu.Ran
		own := analyze.Nanos(0)
		for k := range p.threads[i].ops {
			own += p.threads[i].ops[k].own()
		}
		p.threads[i].quiet = 1
		if cpu.Waited > 0 {
			p.threads[i].quiet = max(leastQuiet, 1-share(cpu.Waited, own+p.threads[i].notified())*share(s.Length(), cpu.Covered))
		}
		p.threads[i].busy = min(1, share(cpu.Ran, own)*share(s.Length(), max(1, cpu.Covered)))
		window.Begin, window.End = min(window.Begin, s.Begin), max(window.End, s.End)
		if s.thread.Process != nil {
			processes[s.thread.Process] = true
		}
	}
	if covered*2 < lasted {
		return
	}
	p.processors = a.Trace.Source.Processors
	var all, known analyze.Nanos
	for process := range processes {
		cpu := process.CPUIn(window)
		all, known = all+cpu.Ran, known+cpu.Covered
	}
	if known*2 >= window.Length()*analyze.Nanos(len(processes)) && known > 0 {
		used := float64(all)/float64(known)*float64(window.Length()*analyze.Nanos(len(processes))) - float64(ran)/float64(covered)*float64(lasted)
		p.framework = analyze.Nanos(max(0, used) / float64(len(p.jobs)))
	}
}

// leastQuiet bounds what is taken out for want of a processor: the samples say how long threads waited, not in what.
const leastQuiet = 0.2

// notified is the time from the GPU's ends to the returns of the thread's waits.
func (t *thread) notified() (sum analyze.Nanos) {
	for i := range t.ops {
		sum += t.ops[i].notify
	}
	return sum
}

// own is the part of a call, and of the time before it, in which the thread does not wait for what a replay knows.
func (o *op) own() analyze.Nanos {
	switch o.kind {
	case opAcquire, opEnqueue:
		return o.gap + o.cost
	case opCommit:
		return o.gap + o.solo
	}
	return o.gap
}

// calm takes out of the recorded times what threads waited for processors in them, which the replay adds again: as much as it adds
// to the unchanged program. What is taken out lets it add a little less, so this is repeated.
func (p *program) calm() {
	if p.processors == 0 {
		return
	}
	for range 2 {
		r, ends := p.play(change{})
		if !ends {
			return
		}
		for t := range p.threads {
			th := &p.threads[t]
			own := analyze.Nanos(0)
			for i := range th.ops[:r.threads[t].next] {
				own += th.ops[i].own()
			}
			if own == 0 {
				continue
			}
			left := max(th.busy, 1-share(r.own[t], own))
			for i := range th.ops {
				o := &th.ops[i]
				o.gap, o.alone, o.encode, o.turn = scaled(o.gap, left), scaled(o.alone, left), scaled(o.encode, left), scaled(o.turn, left)
				switch o.kind {
				case opAcquire, opEnqueue, opCommit:
					o.cost, o.solo = scaled(o.cost, left), scaled(o.solo, left)
				}
			}
			th.busy = min(1, th.busy/left)
		}
		pre, post := r.delays[burstPre].mean(), r.delays[burstPost].mean()
		for i := range p.jobs {
			j := &p.jobs[i]
			j.latency = max(min(j.latency, p.framework/2), j.latency-pre)
			j.complete = max(0, j.complete-post)
		}
		for t := range p.threads {
			for i := range p.threads[t].ops {
				if o := &p.threads[t].ops[i]; o.notify > 0 {
					o.notify = max(1, o.notify-post)
				}
			}
		}
		p.usualNotify = max(0, p.usualNotify-post)
	}
}

func scaled(n analyze.Nanos, by float64) analyze.Nanos { return analyze.Nanos(float64(n) * by) }
