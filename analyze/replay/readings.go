package replay

import (
	"math/rand/v2"
	"slices"
	"sync"

	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// A reading is one way to read the recorded program, or the machine it ran on, where the trace does not tell which is
// right.
type reading struct {
	program   *program.Program
	refuted   bool           // by how long threads are known to have waited for processors
	unchanged func() float64 // its rate without a change; 0 if it does not end
}

// newReading returns a reading whose unchanged program runs once, when its rate is first needed.
func newReading(p *program.Program, refuted bool) *reading {
	return &reading{program: p, refuted: refuted, unchanged: sync.OnceValue(func() float64 {
		rate, _ := run(p, Change{}, nil)
		return rate
	})}
}

// sameBase returns a reading whose unchanged program has a known rate.
func sameBase(p *program.Program, base float64) *reading {
	return &reading{program: p, unchanged: func() float64 { return base }}
}

// readings are the programs whose gains form an interval: with resampled times, and with good, bad or free scheduling
// of processors. They are built and run on first use.
type readings struct {
	of      *program.Program
	random  *rand.Rand
	drawn   []*reading
	sharing []*reading
}

func newReadings(p *program.Program, random *rand.Rand) *readings {
	r := &readings{of: p, random: random}
	if p.Processors.Count == 0 {
		return r
	}
	with := func(refuted bool, set func(*program.Processors)) {
		q := *p
		set(&q.Processors)
		r.sharing = append(r.sharing, newReading(&q, refuted))
	}
	for _, share := range []float64{0, 1} {
		with(false, func(x *program.Processors) { x.Scattered = share })
	}
	for _, share := range []float64{0, 1} {
		with(false, func(x *program.Processors) { x.Interrupting = share })
	}
	with(p.HandOvers.WaitedFor > 0, func(x *program.Processors) { x.Count = 0 })
	return r
}

// few are some that are drawn anew, and the last: processors that nothing waits for, if these are known.
func (r *readings) few() []*reading {
	if n := len(r.sharing); n > 0 {
		return append(r.draw(policy.ReadAgain), r.sharing[n-1])
	}
	return append(r.draw(policy.ReadAgain), r.draw(policy.Readings)[policy.Readings-1])
}

// first are all readings of processors, and the fewest that are drawn anew which may be enough.
func (r *readings) first() []*reading {
	return append(slices.Clone(r.sharing), r.draw(policy.FewReadings)...)
}

// further draws readings until what they gain is steady: more of them would hardly widen an interval, to which the
// machine's error is added. The gains of the fewest are known.
func (r *readings) further(gains []float64, gain func(*reading) float64) {
	for n := len(gains); n < policy.Readings; n++ {
		if slices.Max(gains) <= (1+policy.SteadyGain)*slices.Min(gains) {
			return
		}
		gains = append(gains, gain(r.draw(n + 1)[n]))
	}
}

// draw returns the first n readings that are drawn anew.
func (r *readings) draw(n int) []*reading {
	for len(r.drawn) < n {
		r.drawn = append(r.drawn, newReading(resampled(r.of, r.random), false))
	}
	return slices.Clone(r.drawn[:n])
}

// launches are readings in which none of the threads' own time goes with the number of command buffers, and all.
func launches(p *program.Program, base float64, c Change) (all []*reading) {
	if !c.Launch {
		return nil
	}
	for _, share := range []float64{0, 1} {
		q := *p
		q.LaunchShare = share
		all = append(all, sameBase(&q, base))
	}
	return all
}

// splits are readings in which kernels that share command buffers, so that their costs are fitted, have the least share
// that their intervals allow, and the most.
func splits(p *program.Program, base float64, c Change) (all []*reading) {
	if c.Scale == nil || !c.Scale.Fitted(p) {
		return nil
	}
	for _, bound := range []func(program.KernelCost) float64{lowest, highest} {
		all = append(all, sameBase(c.Scale.WithFitted(p, bound), base))
	}
	return all
}

func lowest(c program.KernelCost) float64  { return c.Low }
func highest(c program.KernelCost) float64 { return c.High }

// resampled is the program with the durations of each thread's command buffers, and the gaps before steps of one
// kind, drawn from these in blocks: the block bootstrap of H. R. Künsch, The Jackknife and the Bootstrap for
// General Stationary Observations, 1989.
func resampled(p *program.Program, random *rand.Rand) *program.Program {
	q := p.Clone()
	for t := range q.Threads {
		th, from := &q.Threads[t], &p.Threads[t]
		if th.Lasts && !th.Paces { // it did too little for its times to be drawn from
			continue
		}
		var byKind [program.Lock + 1][]int
		for i := range from.Steps {
			if k := from.Steps[i].Kind; k <= program.Lock {
				byKind[k] = append(byKind[k], i)
			}
		}
		for kind, list := range byKind {
			length := (len(list) + policy.Blocks - 1) / policy.Blocks
			for at := 0; at < len(list); at += length {
				begin := random.IntN(len(list) - min(length, len(list)) + 1)
				for i := at; i < min(at+length, len(list)); i++ {
					a, b := list[i], list[begin+i-at]
					s, d := &th.Steps[a], &th.Details[a]
					s.Gap, s.Asleep = from.Steps[b].Gap, from.Steps[b].Asleep
					d.Unlocked, d.Encode = from.Details[b].Unlocked, from.Details[b].Encode
					if program.Kind(kind) == program.Commit {
						j, drawn := &q.Jobs[s.Job], &p.Jobs[from.Steps[b].Job]
						j.Duration, j.Alone, j.Stood, j.Beside = drawn.Duration, drawn.Alone, drawn.Stood, drawn.Beside
						j.Kernels, j.Measured = drawn.Kernels, drawn.Measured
					}
				}
			}
		}
	}
	return q
}
