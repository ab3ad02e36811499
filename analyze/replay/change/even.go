package change

import (
	"mtrace/analyze"
	"mtrace/analyze/replay/program"
)

// shareEvenly distributes work evenly among the threads that pass a barrier: their own time and their GPU time
// between two barriers. For a thread with more work than average, all times shrink by a factor. A thread with less
// work gets the same additional time in each round, because its occasional delays would not grow with its work. The
// averages over the run become equal, while random differences between rounds remain. If another thread is slow in
// each round, the work of each single round is made equal.
func shareEvenly(p *program.Program) {
	all := make([][]round, len(p.Barrier.Threads))
	rounds := 1 << 30
	for i, t := range p.Barrier.Threads {
		all[i] = meetings(&p.Threads[t], t)
		rounds = min(rounds, len(all[i]))
	}
	if len(all) == 0 || rounds == 0 {
		return
	}
	if p.Barrier.Rotates {
		for k := range rounds {
			var of []round
			for i := range all {
				of = append(of, all[i][k])
			}
			even(p, of)
		}
		return
	}
	var of []round
	for _, t := range p.Barrier.Threads {
		th := &p.Threads[t]
		of = append(of, round{by: t, steps: th.Steps, details: th.Details})
	}
	even(p, of)
}

// meetings divides a thread's steps into rounds, at the barriers (points at which all threads wait for the last one). A
// program has no step of its own for a barrier: it is a sequence of signals and waits for signals.
func meetings(th *program.Thread, t int32) (all []round) {
	begin, inside := 0, false
	for i := range th.Steps {
		links := th.Steps[i].Kind == program.Signal || th.Steps[i].Kind == program.AwaitSignal
		if inside && !links {
			begin = i
		} else if links && !inside {
			all = append(all, round{by: t, steps: th.Steps[begin : i+1], details: th.Details[begin : i+1]})
		}
		inside = links
	}
	return all
}

// even gives all rounds in `of` the same own time and the same GPU time: their averages. The list has one round of
// each thread, or the whole run of each thread.
func even(p *program.Program, of []round) {
	own, gpu := make([]analyze.Nanos, len(of)), make([]analyze.Nanos, len(of))
	var allOwn, allGPU analyze.Nanos
	for i, r := range of {
		for k := range r.steps {
			own[i] += r.steps[k].OwnWork(&r.details[k])
			if r.steps[k].Kind == program.Commit {
				gpu[i] += p.Jobs[r.steps[k].Job].Duration
			}
		}
		allOwn, allGPU = allOwn+own[i], allGPU+gpu[i]
	}
	n := analyze.Nanos(len(of))
	for i, r := range of {
		r.evenOwn(own[i], allOwn/n)
		r.evenGPU(p, gpu[i], allGPU/n)
	}
}

// evenOwn changes the steps of a round so that the thread's own time in it changes from own to even.
func (r *round) evenOwn(own, even analyze.Nanos) {
	jobs := analyze.Nanos(0)
	for k := range r.steps {
		if r.steps[k].Kind == program.Commit {
			jobs++
		}
	}
	for k := range r.steps {
		s := &r.steps[k]
		switch {
		case own > even:
			left := program.Share(even, own)
			s.Gap = program.Scaled(s.Gap, left)
			if s.Kind == program.Acquire || s.Kind == program.Enqueue || s.Kind == program.Commit {
				s.Cost = program.Scaled(s.Cost, left)
			}
		case s.Kind == program.Commit:
			s.Gap += (even - own) / jobs
		}
	}
}

// evenGPU changes the command buffers of a round so that their GPU time changes from gpu to even.
func (r *round) evenGPU(p *program.Program, gpu, even analyze.Nanos) {
	jobs := analyze.Nanos(0)
	for k := range r.steps {
		if r.steps[k].Kind == program.Commit {
			jobs++
		}
	}
	for k := range r.steps {
		if r.steps[k].Kind != program.Commit {
			continue
		}
		j := &p.Jobs[r.steps[k].Job]
		if gpu > even {
			setDuration(j, program.Scaled(j.Duration, program.Share(even, gpu)))
		} else {
			setDuration(j, j.Duration+(even-gpu)/jobs)
		}
	}
}
