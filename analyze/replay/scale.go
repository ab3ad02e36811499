package replay

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/kernels"
	"mtrace/analyze/policy"
)

// What of a program can be made faster.
const (
	KindKernel   = "kernel"    // its part of the command buffers' GPU times
	KindCall     = "call"      // its own time, by selector
	KindLock     = "lock"      // the time for which it keeps others out; what is done under it is done all the same
	KindThread   = "thread"    // its own time outside of Metal's calls
	KindInFlight = "in-flight" // so many rounds of a thread, from wait to wait, before it waits for the first
)

// A scale is how long things take in a replay, in parts of what they took; nil is as long. Each list is by the program's numbers.
type scale struct {
	kernels, calls, locks, threads []float64
	inFlight                       int // rounds, from wait to wait, that threads have in flight; 0 is as recorded
}

// by is a factor of a list.
func by(list []float64, i int32) float64 {
	if i < 0 || int(i) >= len(list) {
		return 1
	}
	return list[i]
}

// A portion is how much of a time goes to one thing.
type portion struct {
	of    int32
	share float64
}

// scaledBy is what is left of a time whose parts are made faster.
func scaledBy(d analyze.Nanos, parts []portion, factors []float64) analyze.Nanos {
	if factors == nil {
		return d
	}
	left := 1.0
	for _, p := range parts {
		left -= p.share * (1 - by(factors, p.of))
	}
	return evidence.Scaled(d, max(0, left))
}

// duration is how long the GPU works on a job.
func (r *playing) duration(j *job) analyze.Nanos {
	took := j.duration
	if r.Alone {
		took = max(0, took-j.stood)
	}
	if r.scale == nil {
		return took
	}
	return scaledBy(took, j.kernels, r.scale.kernels)
}

// faster is a thread's own time before a call: the calls in it that are not replayed by themselves, and the rest, which is the program's.
func (r *playing) faster(t int32, o *op, gap analyze.Nanos) analyze.Nanos {
	s, th := r.scale, &r.program.threads[t]
	if s == nil {
		return gap
	}
	if s.locks != nil && o.way > 0 {
		gap -= evidence.Scaled(gap-min(gap, o.unlocked), 1-by(s.locks, o.way-1))
	}
	less, own := 0.0, 1.0
	for _, p := range th.inGaps {
		less += p.share * (1 - by(s.calls, p.of))
		own -= p.share
	}
	return gap - evidence.Scaled(gap, min(1, less+max(0, own)*(1-by(s.threads, t))))
}

// call is the cost of a call that is replayed by itself.
func (r *playing) call(t int32, in analyze.Part, cost analyze.Nanos) analyze.Nanos {
	if r.scale == nil {
		return cost
	}
	return scaledBy(cost, r.program.threads[t].inCalls[in], r.scale.calls)
}

// free is the part of a lock's time for which it still keeps others out.
func (r *playing) free(o *op) float64 {
	if r.scale == nil || o.lock == 0 {
		return 1
	}
	return by(r.scale.locks, o.lock-1)
}

// inTurn is what a wait is for where threads have more in flight: what they had committed last so many waits before.
func (r *playing) inTurn(t int32, o *op) int32 {
	n := len(r.done[t].commits)
	if !r.scale.flies() || o.kind != opWait || n == 0 || o.job != r.program.threads[t].jobs[n-1] {
		return o.job
	}
	s := &r.threads[t]
	if s.turns = append(s.turns, o.job); len(s.turns) < r.scale.inFlight {
		return nothing
	}
	return s.turns[len(s.turns)-r.scale.inFlight]
}

// findParts finds what jobs, calls and gaps consist of.
func (p *program) findParts(ev *builder, buffers []*analyze.CommandBuffer, spans []span) {
	var names evidence.Ordered[string, struct{}]
	for j, b := range buffers {
		shares := kernels.Split(b, ev.Trace.Window)
		total := analyze.Nanos(0)
		for i := range shares {
			total += shares[i].GPU
		}
		p.jobs[j].measured = true
		for i := range shares {
			p.jobs[j].measured = p.jobs[j].measured && shares[i].Measured
			k, s := int32(names.Number(shares[i].Kernel)), evidence.Share(shares[i].GPU, total)
			if n := len(p.jobs[j].kernels); n > 0 && p.jobs[j].kernels[n-1].of == k {
				p.jobs[j].kernels[n-1].share += s
			} else if s > 0 {
				p.jobs[j].kernels = append(p.jobs[j].kernels, portion{k, s})
			}
		}
	}
	p.kernelNames = names.Keys
	p.findCalls(ev, spans)
}

// findCalls finds, for each thread, which calls its time in Metal goes to. What is made before the work begins is taken to be shared out
// among calls as it is in the work.
func (p *program) findCalls(ev *builder, spans []span) {
	var names evidence.Ordered[string, struct{}]
	for i, s := range spans {
		th, time := &p.threads[i], ev.TimeOf(s.thread)
		if time == nil {
			continue
		}
		gaps := th.sum(func(o *op) analyze.Nanos { return o.gap })
		for _, c := range ev.Trace.Calls {
			took := c.Exclusive[s.thread]
			if took <= 0 || c.Waits() {
				continue
			}
			k := int32(names.Number(c.Selector))
			switch c.Part {
			case analyze.PartAcquire, analyze.PartCommit, analyze.PartCompile:
				th.inCalls[c.Part] = append(th.inCalls[c.Part], portion{k, evidence.Share(took, time.Time[c.Part])})
			default:
				inWork := evidence.Scaled(took, evidence.Share(time.WorkTime[c.Part], time.Time[c.Part]))
				th.inGaps = append(th.inGaps, portion{k, evidence.Share(inWork, gaps)})
				if c.Part == analyze.PartAllocate {
					th.makes += evidence.Share(inWork, gaps)
				}
			}
		}
		slices.SortFunc(th.inGaps, func(x, y portion) int { return cmp.Compare(x.of, y.of) })
		sum := 0.0
		for _, g := range th.inGaps {
			sum += g.share
		}
		for i := range th.inGaps {
			th.inGaps[i].share /= max(1, sum)
		}
		th.makes /= max(1, sum)
	}
	p.callNames = names.Keys
}

// nameLocks numbers the locks that threads wait for by their names, since that is how one is asked for and told, and marks the ways on which they wait for
// one of them only.
func (p *program) nameLocks(spans []span, by map[*analyze.Thread][]step) {
	var names evidence.Ordered[string, struct{}]
	for t, s := range spans {
		ops, list := p.threads[t].ops, by[s.thread]
		for i := range list {
			if list[i].kind == opLock && list[i].wait != nil {
				ops[i].lock = 1 + int32(names.Number(evidence.KeyOf(list[i].wait).Label()))
			}
		}
	}
	p.lockNames = names.Keys
	p.ways(func(_ way, ops []op, _ analyze.Nanos) {
		if len(ops) < 2 {
			return
		}
		one := ops[0].lock
		for i := range ops[:len(ops)-1] {
			if ops[i].lock != one {
				return
			}
		}
		for i := range ops {
			ops[i].way = one
		}
	})
}

// slows says whether something takes longer than it did.
func (s *scale) slows() bool {
	return s != nil && slices.ContainsFunc(slices.Concat(s.kernels, s.calls, s.locks, s.threads), func(f float64) bool { return f > 1 })
}

// flies says whether threads have more in flight.
func (s *scale) flies() bool { return s != nil && s.inFlight > 1 }

// estimates says whether one of the kernels is known only by an estimate of its part.
func (p *program) estimates(kernels []float64) bool {
	for j := range analyze.Each(p.jobs) {
		if j.measured {
			continue
		}
		for _, k := range j.kernels {
			if k.share < 1-policy.Rounding && by(kernels, k.of) != 1 {
				return true
			}
		}
	}
	return false
}
