package replay

import (
	"math/rand/v2"
	"slices"
	"sync"

	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// A reading is a variant of the recorded program, or of its machine: one interpretation of what is ambiguous in the
// trace. The results of all readings form a prediction's interval.
type reading struct {
	program   *program.Program
	refuted   bool           // true if the recorded time that threads waited for processors contradicts the variant
	unchanged func() float64 // the rate without a change; 0 if the run does not end
}

// newReading returns a reading of program p. It runs the program without a change only once, when that rate is first
// needed.
func newReading(p *program.Program, refuted bool) *reading {
	return &reading{program: p, refuted: refuted, unchanged: sync.OnceValue(func() float64 {
		rate, _ := run(p, Change{}, nil)
		return rate
	})}
}

// sameBase returns a reading (a variant of the program) whose rate without a change is known to be `base`, so that it
// need not be run to find out.
func sameBase(p *program.Program, base float64) *reading {
	return &reading{program: p, unchanged: func() float64 { return base }}
}

// readings are the variants of a program whose predicted gains form an interval. In the variants in `drawn`,
// durations are redrawn at random; in those in `sharing`, the system distributes processors better or worse. They are
// created on first use.
type readings struct {
	of      *program.Program
	seed    [2]uint64
	mutex   sync.Mutex // of random and drawn: predictions run concurrently
	random  *rand.Rand
	drawn   []*reading
	sharing []*reading
}

func newReadings(p *program.Program, seed [2]uint64) *readings {
	r := &readings{of: p, seed: seed}
	r.free()
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
	with(p.HandOffs.WaitedFor > 0, func(x *program.Processors) { x.Count = 0 })
	return r
}

// few returns a small number of readings (variants of the program) for a quick interval. All but the last have
// durations redrawn at random. In the last, nothing waits for processors; if the use of processors is not known, it has
// redrawn durations, too.
func (r *readings) few() []*reading {
	if n := len(r.sharing); n > 0 {
		return append(r.draw(policy.ItemReplayDraws), r.sharing[n-1])
	}
	return append(r.draw(policy.ItemReplayDraws), r.draw(policy.ReplayDraws)[policy.ReplayDraws-1])
}

// first returns all readings (variants of the program) with other distributions of processors, and the fewest
// readings with redrawn durations that may suffice.
func (r *readings) first() []*reading {
	return append(slices.Clone(r.sharing), r.draw(policy.FirstReplayDraws)...)
}

// further returns the remaining readings (variants of the program) with redrawn durations. It returns none if the
// gains of the first readings differ so little that more would hardly widen the interval.
func (r *readings) further(gains []float64) []*reading {
	if slices.Max(gains) <= (1+policy.SteadyGain)*slices.Min(gains) {
		return nil
	}
	return r.draw(policy.ReplayDraws)[policy.FirstReplayDraws:]
}

// free frees the memory of the redrawn programs. If they are needed again, equal ones are drawn.
func (r *readings) free() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.drawn, r.random = nil, rand.New(rand.NewPCG(r.seed[0], r.seed[1]))
}

// draw returns the first n readings (variants of the program) whose durations are redrawn at random.
func (r *readings) draw(n int) []*reading {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if more := n - len(r.drawn); more > 0 {
		// random numbers are drawn one after another, so that results can be repeated; the copies take longer
		resamples := make([]*resample, more)
		for i := range resamples {
			resamples[i] = newResample(r.of, r.random)
		}
		drawn := make([]*reading, more)
		concurrently(more, func(i int) { drawn[i] = newReading(resamples[i].program(r.of), false) })
		r.drawn = append(r.drawn, drawn...)
	}
	return slices.Clone(r.drawn[:n])
}

// launches returns two readings (variants of the program) for a change that merges command buffers. They are the two
// extremes: none of the threads' own time depends on the number of command buffers, or all of it does. For other
// changes it returns nil.
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

// splits returns two readings (variants of the program) for kernels that share command buffers. Only a statistical fit
// estimates the costs of such kernels: one reading has the lowest cost in the fit's interval, the other the highest.
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

// A resample says from which steps the durations of a program's steps are redrawn. Each thread and each kind of step is
// redrawn separately. It draws blocks of neighbours, because neighbours are similar: the block bootstrap of H. R.
// Künsch, The Jackknife and the Bootstrap for General Stationary Observations, 1989.
type resample struct{ blocks []block }

// A block takes the durations of consecutive steps of one kind of a thread from others of that kind.
type block struct {
	thread int
	kind   program.Kind
	to     []int32 // the steps whose durations are redrawn
	from   []int32 // the steps that they are taken from
}

// newResample draws which durations to use.
func newResample(p *program.Program, random *rand.Rand) *resample {
	r := &resample{}
	for t := range p.Threads {
		th := &p.Threads[t]
		if th.Lasts && !th.Paces { // a thread that commits little has too few durations to resample
			continue
		}
		var byKind [program.Lock + 1][]int32
		for i := range th.Steps {
			if k := th.Steps[i].Kind; k <= program.Lock {
				byKind[k] = append(byKind[k], int32(i))
			}
		}
		for kind, list := range byKind {
			length := (len(list) + policy.DrawBlocks - 1) / policy.DrawBlocks
			for at := 0; at < len(list); at += length {
				begin := random.IntN(len(list) - min(length, len(list)) + 1)
				to := list[at:min(at+length, len(list))]
				r.blocks = append(r.blocks, block{t, program.Kind(kind), to, list[begin : begin+len(to)]})
			}
		}
	}
	return r
}

// program returns a copy of p with redrawn durations of command buffers and of the gaps before steps.
func (r *resample) program(p *program.Program) *program.Program {
	q := p.Clone()
	for _, k := range r.blocks {
		th, from := &q.Threads[k.thread], &p.Threads[k.thread]
		for i := range k.to {
			a, b := k.to[i], k.from[i]
			s, d := &th.Steps[a], &th.Details[a]
			s.Gap, s.Asleep = from.Steps[b].Gap, from.Steps[b].Asleep
			d.Unlocked, d.Encode = from.Details[b].Unlocked, from.Details[b].Encode
			d.Allocates = from.Details[b].Allocates
			if k.kind == program.Commit {
				j, drawn := &q.Jobs[s.Job], &p.Jobs[from.Steps[b].Job]
				j.Duration, j.ProcessorTime, j.Stood, j.ConcurrencyLoss = drawn.Duration, drawn.ProcessorTime, drawn.Stood,
					drawn.ConcurrencyLoss
				j.Kernels, j.Measured = drawn.Kernels, drawn.Measured
			}
		}
	}
	return q
}
