package replay

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Speedup is a predicted speed-up, with an interval.
type Speedup struct{ Estimate, Low, High float64 }

// A reading is one way to read the recorded program, or what the machine did with it, of which the trace does not say which is right.
type reading struct {
	*program
	base    float64 // how fast it is unchanged
	refuted bool    // by what threads are known to have waited for processors
}

// readings are those that an interval is made of: the program with its times drawn anew, on processors that the system shares out well
// or badly, or that nobody waits for.
func (p *program) readings(random *rand.Rand) (all []reading) {
	add := func(q *program) {
		if base, ends := q.run(Change{}); ends && base > 0 {
			all = append(all, reading{q, base, p.waitedFor > 0 && q.processors < p.processors})
		}
	}
	for range policy.Readings {
		add(p.resampled(random))
	}
	if p.processors > 0 {
		for _, scattered := range []float64{0, 1} {
			q := *p
			q.scattered = scattered
			add(&q)
		}
		for _, interrupting := range []float64{0, 1} {
			q := *p
			q.interrupting = interrupting
			add(&q)
		}
		q := *p
		q.processors = 0
		add(&q)
	}
	return all
}

// speedup is how many times as fast the program is with the change. The interval holds what all readings give that are not refuted, what GPUs with and
// without more room than was seen give, what processors give that sleep as deeply as they did, or hardly at all, and the error of the replay. It is nil, with the reason,
// when the interval is too wide.
func (p *program) speedup(readings []reading, base float64, c Change, replayError float64) (s *Speedup, why string) {
	usual, other := c, c
	if usual.room = true; c.GPU || c.scale.flies() { // queues whose work a busier GPU ran one after the other are not taken to change
		usual, other = other, usual
	}
	changed, denser, ends := p.settled(usual, base)
	if !ends || changed == 0 {
		return nil, "a replay without it does not come to an end"
	}
	of := 1.0
	if c.Cores { // what is off in the replay of the unchanged program is how it shares the processors, of which there are enough now
		of = base / p.rate(p.recorded)
	}
	s = &Speedup{Estimate: of * changed / base / p.roomyFor(usual, base)}
	if !c.scale.slows() { // what is left out holds nobody up
		s.Estimate = max(1, s.Estimate)
	}
	s.Low, s.High = s.Estimate, s.Estimate
	least, most := s.Estimate, s.Estimate // with what is refuted: what hangs on how long threads wait for processors is no prediction
	hold := func(changed, was float64, ends bool, c Change, refuted bool) {
		if ends && changed > 0 {
			gained := of * changed / was / p.roomyFor(c, base)
			least, most = min(least, gained), max(most, gained)
			if !refuted {
				s.Low, s.High = min(s.Low, gained), max(s.High, gained)
			}
		}
	}
	try := func(r reading, c Change) {
		changed, ends := r.run(c)
		hold(changed, r.base, ends, c, r.refuted)
	}
	for _, r := range slices.Concat(readings, p.splits(c, base), p.launches(c, base)) {
		try(reading{r.as(denser), r.base, r.refuted}, usual)
	}
	changed, _, ends = p.settled(other, base)
	if hold(changed, base, ends, other, false); denser.times > 1 {
		try(reading{p, base, false}, usual)                                           // processors that sleep as deeply as they did
		try(reading{p.as(p.denser(denser.times * denser.times)), base, false}, usual) // and hardly at all
	}
	if most > policy.Widest.Value*least {
		return nil, fmt.Sprintf("from %.2f to %.2f times as fast is all that the trace tells", least, most)
	}
	usually := policy.Alike.Value + policy.ErrorOfMore*math.Abs(math.Log2(s.Estimate))
	if c.scale != nil {
		usually += policy.ErrorOfLess
	}
	err := max(usually, math.Abs(replayError))
	s.Low, s.High = s.Low*(1-err), s.High*(1+err)
	return s, ""
}

// roomyFor is what room alone brings in a replay with a change: what is only faster is held against a run with as much room.
func (p *program) roomyFor(c Change, base float64) float64 {
	if !c.room || !c.unchanged() || c.scale.flies() {
		return 1
	}
	return p.roomy() / base
}

// roomy is how fast the unchanged program is where GPUs that are not known to be limited have room.
func (p *program) roomy() float64 {
	if p.withRoom == 0 {
		p.withRoom, _ = p.run(Change{room: true})
	}
	return p.withRoom
}

// launches are readings in which none of the threads' own time goes with the command buffers, and all.
func (p *program) launches(c Change, base float64) (all []reading) {
	if !c.Launch {
		return nil
	}
	for _, of := range []float64{0, 1} {
		q := *p
		q.ofLaunches = of
		all = append(all, reading{&q, base, false})
	}
	return all
}

// splits are readings in which the kernels whose times are estimated, for the GPU's clock does not tell them apart in a command buffer, take
// half as much of it or twice as much.
func (p *program) splits(c Change, base float64) (all []reading) {
	if c.scale == nil || !p.estimates(c.scale.kernels) {
		return nil
	}
	for _, times := range []float64{0.5, 2} {
		q := p.clone()
		for j := range analyze.Each(q.jobs) {
			if j.measured {
				continue
			}
			j.kernels = slices.Clone(j.kernels)
			changed := 0.0
			for k := range j.kernels {
				if by(c.scale.kernels, j.kernels[k].of) != 1 {
					j.kernels[k].share *= times
					changed += j.kernels[k].share
				}
			}
			for k := range j.kernels {
				if by(c.scale.kernels, j.kernels[k].of) != 1 {
					j.kernels[k].share /= max(1, changed)
				}
			}
		}
		all = append(all, reading{q, base, false})
	}
	return all
}

// resampled is the program with the durations of each thread's work on the GPU, and its gaps before calls of the same kind, drawn from
// them in blocks. It is the block bootstrap of H. R. Künsch, The Jackknife and the Bootstrap for General Stationary Observations, 1989.
func (p *program) resampled(random *rand.Rand) *program {
	s := p.clone()
	for t := range s.threads {
		if th := &p.threads[t]; th.lasts && !th.paces { // it did too little for its times to be drawn from
			continue
		}
		ops, from := s.threads[t].ops, p.threads[t].ops
		byKind := map[opKind][]int{}
		for i := range ops {
			byKind[ops[i].kind] = append(byKind[ops[i].kind], i)
		}
		for kind := opAcquire; kind <= opLock; kind++ {
			list := byKind[kind]
			length := (len(list) + policy.Blocks - 1) / policy.Blocks
			for at := 0; at < len(list); at += length {
				begin := random.IntN(len(list) - min(length, len(list)) + 1)
				for i := at; i < min(at+length, len(list)); i++ {
					a, b := &ops[list[i]], &from[list[begin+i-at]]
					a.gap, a.unlocked, a.encode, a.starved = b.gap, b.unlocked, b.encode, b.starved
					if kind == opCommit {
						j, from := &s.jobs[a.job], &p.jobs[b.job]
						j.duration, j.alone, j.stood, j.beside, j.kernels, j.measured = from.duration, from.alone, from.stood, from.beside, from.kernels, from.measured
					}
				}
			}
		}
	}
	return s
}
