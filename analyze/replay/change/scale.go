package change

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// A Scale has factors for the durations of kernels, calls, locks and threads' own time. The lists are indexed by the
// numbers that the program gives to kernels, calls, locks and threads; a missing factor is 1.
type Scale struct {
	Kernels, Calls, Locks, Threads []float64
	// The number of rounds that each thread has in flight; 0 and 1 mean as recorded. A round is the work from one wait
	// for the GPU to the next.
	InFlight int
	Merged   int // command buffers that are merged into one; 0 and 1 mean as recorded
}

// factor returns element i of a list of factors, or 1 if the list has no such element.
func factor(list []float64, i int32) float64 {
	if i < 0 || int(i) >= len(list) {
		return 1
	}
	return list[i]
}

// Slows reports whether any factor makes something take longer than recorded.
func (s *Scale) Slows() bool {
	return s != nil && slices.ContainsFunc(slices.Concat(s.Kernels, s.Calls, s.Locks, s.Threads),
		func(f float64) bool { return f > 1 })
}

// Overlaps reports whether the Scale lets threads have more rounds (work from one wait to the next) in flight than
// recorded.
func (s *Scale) Overlaps() bool { return s != nil && s.InFlight > 1 }

// Fitted reports whether the result depends on a statistical estimate. That is so if a scaled kernel shares a command
// buffer with other kernels, and the trace has only the time of the whole command buffer.
func (s *Scale) Fitted(p *program.Program) bool {
	for i := range p.Jobs {
		if p.Jobs[i].Measured {
			continue
		}
		for _, k := range p.Jobs[i].Kernels {
			if k.Share < 1-policy.Rounding && factor(s.Kernels, k.Of) != 1 {
				return true
			}
		}
	}
	return false
}

// WithFitted returns a copy of the program in which the estimated shares of scaled kernels are replaced by the values
// that `bound` returns, for example the upper bounds. The shares of a command buffer still add up to at most 1. Callers
// compare predictions with and without it to see how uncertain they are.
func (s *Scale) WithFitted(p *program.Program, bound func(program.KernelCost) float64) *program.Program {
	q := p.Copy()
	for i := range q.Jobs {
		j := &q.Jobs[i]
		if j.Measured {
			continue
		}
		j.Kernels = slices.Clone(j.Kernels)
		scaled := 0.0
		for k := range j.Kernels {
			if factor(s.Kernels, j.Kernels[k].Of) != 1 {
				j.Kernels[k].Share *= bound(p.KernelCosts[j.Kernels[k].Of])
				scaled += j.Kernels[k].Share
			}
		}
		for k := range j.Kernels {
			if factor(s.Kernels, j.Kernels[k].Of) != 1 {
				j.Kernels[k].Share /= max(1, scaled)
			}
		}
	}
	return q
}

// scaled multiplies each portion of the duration d by the portion's factor, and returns the resulting duration.
func scaled(d analyze.Nanos, portions []program.Portion, factors []float64) analyze.Nanos {
	if factors == nil {
		return d
	}
	left := 1.0
	for _, p := range portions {
		left -= p.Share * (1 - factor(factors, p.Of))
	}
	return program.Scaled(d, max(0, left))
}

func (s *Scale) apply(p *program.Program) {
	if s.Kernels != nil {
		for i := range p.Jobs {
			setDuration(&p.Jobs[i], scaled(p.Jobs[i].Duration, p.Jobs[i].Kernels, s.Kernels))
		}
	}
	if s.Calls != nil || s.Locks != nil || s.Threads != nil {
		for t := range p.Threads {
			s.scaleThread(&p.Threads[t], factor(s.Threads, int32(t)))
		}
	}
	if s.Merged > 1 {
		// the merged command buffers have the same commands as before, so encoding takes as long as before
		mergeLaunches(p, s.Merged, false)
	}
	if s.InFlight > 1 {
		for t := range p.Threads {
			overlapRounds(&p.Threads[t], s.InFlight)
		}
	}
}

// setDuration changes a command buffer's GPU time, and in proportion the time that it would take alone.
func setDuration(j *program.Job, d analyze.Nanos) {
	j.ProcessorTime, j.Duration = program.Scaled(d, program.Share(j.ProcessorTime, j.Duration)), d
}

// scaleThread scales the time that a thread spends in calls and in waits for named locks by the factors of s. It
// multiplies the rest of the thread's own time by `own`.
func (s *Scale) scaleThread(th *program.Thread, own float64) {
	less, rest := 0.0, 1.0
	for _, p := range th.InGaps {
		less += p.Share * (1 - factor(s.Calls, p.Of))
		rest -= p.Share
	}
	less = min(1, less+max(0, rest)*(1-own))
	for i := range th.Steps {
		x, d := &th.Steps[i], &th.Details[i]
		if s.Locks != nil && d.OnlyLock > 0 {
			x.Gap -= program.Scaled(x.Gap-min(x.Gap, d.Unlocked), 1-factor(s.Locks, d.OnlyLock-1))
		}
		x.Gap -= program.Scaled(x.Gap, less)
		switch x.Kind {
		case program.Acquire:
			x.Cost = scaled(x.Cost, th.InCalls[analyze.PartAcquire], s.Calls)
		case program.Enqueue, program.Commit:
			x.Cost = scaled(x.Cost, th.InCalls[analyze.PartCommit], s.Calls)
			x.Hold = scaled(x.Hold, th.InCalls[analyze.PartCommit], s.Calls)
		case program.Compile:
			x.Cost = scaled(x.Cost, th.InCalls[analyze.PartCompile], s.Calls)
		case program.Lock:
			scaleLock(x, factor(s.Locks, d.NamedLock-1))
		}
	}
}

// scaleLock multiplies the time for which a lock keeps other threads waiting; 0 removes the lock. The holder's own
// work under the lock takes as long as before.
func scaleLock(x *program.Step, by float64) {
	switch by {
	case 1:
	case 0:
		x.Kind = program.Nothing
	default:
		x.Cost, x.Hold, x.Unlocks = program.Scaled(x.Cost, by), program.Scaled(x.Hold, by), false
	}
}

// overlapRounds lets a thread have several rounds in flight. A wait for the thread's last commit becomes a wait for
// the command buffer of inFlight-1 rounds earlier.
func overlapRounds(th *program.Thread, inFlight int) {
	last := program.Unknown
	var rounds []int32
	for i := range th.Steps {
		switch s := &th.Steps[i]; {
		case s.Kind == program.Commit || s.Kind == program.Skip:
			last = s.Job
		case s.Kind == program.Wait && s.Job == last && last != program.Unknown:
			if rounds = append(rounds, s.Job); len(rounds) < inFlight {
				s.Kind = program.Nothing
			} else {
				s.Job = rounds[len(rounds)-inFlight]
			}
		}
	}
}
