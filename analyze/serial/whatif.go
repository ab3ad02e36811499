package serial

import (
	"math"
	"math/rand/v2"
	"slices"
)

// removals are the changes that take each cause away. A cause that is not here cannot be taken out of a recording: who would
// submit instead of the single submitter, and what the program's own work would be, is not in it.
var removals = map[string]change{
	DeviceWideSync:     {foreign: true},
	GPUSaturated:       {gpu: true},
	QueueDepth:         {depth: true},
	CompileBound:       {compile: true},
	EventChain:         {events: true},
	HeadOfLine:         {head: true},
	CompletionHandlers: {handlers: true},
	LaunchBound:        {launch: true},
	LockContention:     {locks: true},
	InterpreterLock:    {locks: true},
}

const (
	// enoughFaith is how far the replay of the unchanged program may be from the recorded run; beyond, nothing is predicted.
	enoughFaith = 0.15
	// goodFaith is how near it must be for a reading of the program to be taken without trying others.
	goodFaith = 0.05
	// leastError is the error that each prediction is taken to have, however well the replay of the unchanged program agrees: what
	// nine of ten were off by at most, on programs that the replay was not made with (fixtures/scenarios/matrix --what-if --vary).
	leastError = 0.10
	// widest is how far apart the ends of an interval may be: what may be off by more than twice either way is no prediction. The
	// GPU's own limits show only where they were reached, so much time taken out of a run leaves much open.
	widest = 4
	// nothingGained is the speed-up below which a GPU without limits brings nothing.
	nothingGained = 1.02
	// shuffles is how often each prediction is repeated with the program's durations shuffled.
	shuffles = 8
)

// whatIf predicts what removing each cause that was found would bring.
func (a *Analysis) whatIf(f *facts, opts Options) {
	if len(a.Verdict.Causes) == 0 {
		return
	}
	p := a.program(f)
	if p == nil {
		return
	}
	p, base := p.believed()
	if base == 0 {
		return
	}
	a.ReplayError = p.rate(p.recorded)/base - 1
	if math.Abs(a.ReplayError) > enoughFaith {
		return
	}
	random := rand.New(rand.NewPCG(opts.Seed, 0x7265706c6179))
	var variants []*program
	for range shuffles {
		variants = append(variants, p.shuffled(random))
	}
	faith := max(leastError, math.Abs(a.ReplayError))
	var replayed []*Finding
	for i := range a.Verdict.Causes {
		c := &a.Verdict.Causes[i]
		if removal, known := c.removal(); known && f.share(c.Lost) >= 0.01 {
			c.Speedup = p.speedup(variants, base, removal, faith)
			if c.Cause == GPUSaturated && c.Speedup != nil && c.Speedup.Estimate < nothingGained {
				c.Speedup = nil // one stream of work gains nothing by a GPU that runs more at once, but by a faster one
			}
			if c.Speedup != nil {
				replayed = append(replayed, c)
			}
		}
	}
	if len(replayed) >= 2 {
		first, _ := replayed[0].removal()
		second, _ := replayed[1].removal()
		if s := p.speedup(variants, base, first.both(second), faith); s != nil {
			a.Verdict.Together = &Together{[2]string{replayed[0].Cause, replayed[1].Cause}, *s}
		}
	}
}

// believed is the program read in the way that replays as it ran, and how fast that is: 0 when none ends. Threads may hand locks
// to each other in another order than the replay's, and may have waited for the newest work only because there was no other.
func (p *program) believed() (best *program, base float64) {
	least := math.Inf(1)
	for _, fixed := range []bool{false, true} {
		for _, rule := range []newest{p.newest, {}} {
			q := p.clone()
			q.fixed, q.newest = fixed, rule
			q.calm()
			rate, ends := q.run(change{})
			if !ends || rate == 0 {
				continue
			}
			if off := math.Abs(q.rate(q.recorded)/rate - 1); off < least {
				best, base, least = q, rate, off
			}
			if least <= goodFaith {
				return best, base
			}
		}
	}
	return best, base
}

// clone is a copy whose durations may be changed.
func (p *program) clone() *program {
	q := *p
	q.jobs, q.threads = slices.Clone(p.jobs), slices.Clone(p.threads)
	for t := range q.threads {
		q.threads[t].ops = slices.Clone(q.threads[t].ops)
	}
	return &q
}

// removal is the change that takes the cause away; false when a recording cannot tell.
func (f *Finding) removal() (change, bool) {
	c, known := removals[f.Cause]
	if f.unseen*2 > f.explains { // when threads would go on without it is not in the recording
		return c, false
	}
	if f.turns {
		c = change{turns: true}
	}
	return c, known
}

// both is a change that does what either does.
func (c change) both(d change) change {
	return change{c.foreign || d.foreign, c.depth || d.depth, c.compile || d.compile, c.events || d.events, c.head || d.head, c.handlers || d.handlers,
		c.launch || d.launch, c.turns || d.turns, c.locks || d.locks, c.gpu || d.gpu, c.room || d.room}
}

// speedup is how many times as fast the program is with the change. The interval holds what shuffled programs give, what GPUs
// with and without more room than was seen give, and the error of the replay.
func (p *program) speedup(variants []*program, base float64, c change, err float64) *Speedup {
	wide, narrow := c, c
	wide.room = true
	estimates := []float64{}
	for _, c := range []change{wide, narrow} {
		changed, ends := p.run(c)
		if !ends || changed == 0 {
			return nil
		}
		estimates = append(estimates, changed/base)
	}
	low, high := slices.Min(estimates), slices.Max(estimates)
	for _, v := range variants {
		vb, ok := v.run(change{})
		vc, ok2 := v.run(wide)
		if ok && ok2 && vb > 0 {
			x := vc / vb
			low, high = min(low, x), max(high, x)
		}
	}
	if high > widest*low {
		return nil
	}
	return &Speedup{Estimate: estimates[0], Low: max(0, low*(1-err)), High: high * (1 + err)}
}

// shuffled is the program with the durations of each thread's work on the GPU, and its gaps before calls of the same kind, in
// another order.
func (p *program) shuffled(random *rand.Rand) *program {
	s := p.clone()
	for t := range s.threads {
		ops := s.threads[t].ops
		byKind := map[opKind][]int{}
		for i := range ops {
			byKind[ops[i].kind] = append(byKind[ops[i].kind], i)
		}
		for kind := opAcquire; kind <= opLock; kind++ {
			list := byKind[kind]
			random.Shuffle(len(list), func(x, y int) {
				a, b := &ops[list[x]], &ops[list[y]]
				a.gap, b.gap, a.alone, b.alone, a.encode, b.encode = b.gap, a.gap, b.alone, a.alone, b.encode, a.encode
				if kind == opCommit {
					ja, jb := &s.jobs[a.job], &s.jobs[b.job]
					ja.duration, jb.duration = jb.duration, ja.duration
				}
			})
		}
	}
	return s
}
