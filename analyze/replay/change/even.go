package change

import (
	"mtrace/analyze"
	"mtrace/analyze/replay/program"
)

// shareEvenly distributes the work of a barrier's threads evenly: their own time and the GPU's between two barriers.
// The times of a thread with more work than average shrink by a factor. A thread with less work gets the same
// additional time in each round, because its occasional delays do not grow. The averages over the run become equal;
// random differences between rounds remain. If a different thread has more work in each round, each round is
// distributed separately.
func shareEvenly(p *program.Program) {
	all := make([][]round, len(p.Meeting.Threads))
	rounds := 1 << 30
	for i, t := range p.Meeting.Threads {
		all[i] = meetings(&p.Threads[t], t)
		rounds = min(rounds, len(all[i]))
	}
	if len(all) == 0 || rounds == 0 {
		return
	}
	if p.Meeting.Rotates {
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
	for _, t := range p.Meeting.Threads {
		th := &p.Threads[t]
		of = append(of, round{by: t, steps: th.Steps, details: th.Details})
	}
	even(p, of)
}

// meetings divides a thread's steps into the rounds between barriers. A barrier is a sequence of signals and waits for
// these.
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

// even distributes the work of all threads evenly, in one round each or in the whole run.
func even(p *program.Program, of []round) {
	own, gpu := make([]analyze.Nanos, len(of)), make([]analyze.Nanos, len(of))
	var allOwn, allGPU analyze.Nanos
	for i, r := range of {
		for k := range r.steps {
			own[i] += r.steps[k].Own(&r.details[k])
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

// evenOwn sets the own time of the round's steps to an even share of the threads' total.
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

// evenGPU sets the GPU time of the round's command buffers to an even share of the total.
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
