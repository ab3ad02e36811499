package experiment

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
	"mtrace/collector/wire"
	_ "mtrace/fixtures/testheap"
)

// all runs as many simulated experiments as the documentation states: 400 and 200 of each kind.
var all = flag.Bool("simulate-all", false, "run all simulated experiments")

const ms = analyze.Nanos(1e6)

// A world is a simulated program on a machine that is not quiet.
type world struct {
	threads     int
	unit        float64   // nanoseconds of a unit, without noise
	truth       []float64 // sensitivity of each target
	delay       float64   // nanoseconds of delay in a unit
	noise       float64   // standard deviation of a millisecond's speed, as a share
	memory      float64   // correlation of successive milliseconds
	drift       float64   // by how much the unit grows to the end, as a share; half of it follows a wave
	bursts      float64   // of other load in a second
	slower      float64   // by which factor bursts slow the program down
	late        float64   // by which factor delays take longer in bursts, as of a thread that wakes late
	blocks      int
	block       analyze.Nanos // mean length
	uneven      float64       // by which factor blocks are longer or shorter
	settle      int           // milliseconds after each change of treatment that are in no block
	moments     bool          // the experiment has the moments of units
	widest      float64       // allowed half-width of intervals; 0 is any
	alternating bool          // a baseline after each treated block; otherwise both in random order
}

// run is one experiment with the world, millisecond by millisecond.
func (w *world) run(random *rand.Rand) *analyze.Experiment {
	e := &analyze.Experiment{Seed: 1, Budget: 0.05, Progress: "commands", Threads: w.threads}
	for i := range w.truth {
		e.Targets = append(e.Targets, analyze.ExperimentTarget{ID: i + 1, Kind: wire.ExperimentCall,
			Mode: wire.ExperimentDelay})
	}
	var order []int
	for len(order) < w.blocks {
		target := 1 + random.IntN(len(w.truth))
		if w.alternating || random.IntN(2) == 0 {
			order = append(order, 0, target)
		} else {
			order = append(order, target, 0)
		}
	}
	total := float64(w.blocks) * float64(w.block/ms)
	slow, burst, done, now := 0.0, 0, 0.0, 0
	var last analyze.Nanos // when a unit was completed
	for _, target := range order {
		b := analyze.ExperimentBlock{Target: target}
		length := max(1, int(float64(w.block/ms)*math.Exp(math.Log(w.uneven)*(2*random.Float64()-1))))
		before, injected := 0.0, 0.0
		for step := range w.settle + length {
			if step == w.settle {
				b.Begin, before, injected = analyze.Nanos(now)*ms, math.Floor(done), 0
				if w.moments {
					b.LastBefore = last
				}
			}
			slow = w.memory*slow + math.Sqrt(1-w.memory*w.memory)*w.noise*random.NormFloat64()
			if burst--; burst < 0 && random.Float64() < w.bursts/1000 {
				burst = int(5 + 80*random.ExpFloat64())
			}
			at := float64(now) / total
			unit := w.unit * math.Exp(slow) * (1 + w.drift/2*at + w.drift/4*math.Sin(9*at))
			if burst > 0 {
				unit *= w.slower
			}
			delay := 0.0
			if target > 0 {
				delay = w.delay
				if burst > 0 && w.late > 0 {
					delay *= w.late
				}
				unit += w.truth[target-1] * delay
			}
			units := float64(w.threads) * float64(ms) / unit
			if next := math.Floor(done + units); next > done {
				last = analyze.Nanos((float64(now) + (next-done)/units) * float64(ms))
			}
			done += units
			injected += units * delay
			now++
		}
		b.End = analyze.Nanos(now) * ms
		b.Units = int64(math.Floor(done) - before)
		b.Injected = analyze.Nanos(injected)
		if w.moments && last > b.Begin {
			b.LastIn = last
		}
		if target > 0 {
			b.Delay, b.Occurrences = analyze.Nanos(w.delay), b.Units
		}
		e.Blocks = append(e.Blocks, b)
	}
	return e
}

// worlds are the conditions in which the estimator must work: each kind of noise alone, and all together.
var worlds = []struct {
	name string
	world
}{
	{"quiet", world{threads: 1, unit: 2e6, truth: []float64{1, 0}, delay: 2e5, noise: 0.05, blocks: 120,
		block: 60 * ms, uneven: 1.2, alternating: true}},
	{"autocorrelated", world{threads: 3, unit: 2e6, truth: []float64{1, 0, 3}, delay: 1e5, noise: 0.2, memory: 0.99,
		blocks: 200, block: 60 * ms, uneven: 1.2, alternating: true}},
	{"drift", world{threads: 1, unit: 1e6, truth: []float64{1, 0.5}, delay: 1e5, noise: 0.1, memory: 0.5, drift: 1,
		blocks: 160, block: 50 * ms, uneven: 1.5, alternating: true}},
	{"bursts", world{threads: 6, unit: 3e6, truth: []float64{6, 1, 0, 0}, delay: 1e5, noise: 0.1, memory: 0.9,
		bursts: 1, slower: 3, blocks: 240, block: 60 * ms, uneven: 1.5}},
	{"bursts that prolong delays", world{threads: 6, unit: 3e6, truth: []float64{6, 1, 0, 0}, delay: 2e5, noise: 0.03,
		memory: 0.5, bursts: 1, slower: 10, late: 10, blocks: 240, block: 100 * ms, uneven: 1.01,
		widest: 0.2}},
	{"all of it", world{threads: 2, unit: 1e6, truth: []float64{1, 0, 2}, delay: 1e5, noise: 0.2, memory: 0.98, drift: 0.6,
		bursts: 0.5, slower: 3, blocks: 240, block: 80 * ms, uneven: 3}},
	{"few blocks", world{threads: 1, unit: 1e6, truth: []float64{1}, delay: 1e5, noise: 0.2, memory: 0.9,
		blocks: 16, block: 60 * ms, uneven: 2}},
	{"few units in a block", world{threads: 2, unit: 40e6, truth: []float64{1, 0, 2}, delay: 4e6, noise: 0.1, memory: 0.9,
		blocks: 200, block: 100 * ms, uneven: 1.5, settle: 10, moments: true}},
}

// A count of how often a share of cases held.
type share struct{ held, of int }

func (s *share) add(holds bool) {
	if s.of++; holds {
		s.held++
	}
}

// tooFew reports whether the count is below the wanted share by more than chance: three standard errors.
func (s *share) tooFew(wanted float64) bool {
	n := float64(s.of)
	return float64(s.held) < n*wanted-3*math.Sqrt(n*wanted*(1-wanted))
}

// Intervals hold the true sensitivity in 95% of experiments, whatever the noise.
func TestIntervalsHoldTheTruth(t *testing.T) {
	experiments := 40
	if *all {
		experiments = 400
	}
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(44, uint64(w.blocks)))
			var s share
			width := 0.0
			for range experiments {
				for i, x := range Analyze(w.run(random)).Estimates {
					if x.Sensitivity == nil { // a target that chance gave few blocks
						continue
					}
					s.add(x.Sensitivity.Low <= w.truth[i] && w.truth[i] <= x.Sensitivity.High)
					width += (x.Sensitivity.High - x.Sensitivity.Low) / 2
				}
			}
			t.Logf("%s: %d of %d intervals (%.1f%%) hold the truth; they are ±%.2f wide on average", w.name, s.held, s.of,
				100*float64(s.held)/float64(s.of), width/float64(s.of))
			if s.tooFew(0.95) || s.of < experiments/2 {
				t.Errorf("%d of %d intervals hold the truth", s.held, s.of)
			}
			if mean := width / float64(s.of); w.widest > 0 && mean > w.widest {
				t.Errorf("intervals are ±%.2f wide, want at most ±%.2f", mean, w.widest)
			}
		})
	}
}

// At most 5% of the programs on which no delay has an effect are reported to depend on a target.
func TestFalsePositives(t *testing.T) {
	programs := 40
	if *all {
		programs = 200
	}
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(45, uint64(w.blocks)))
			w.truth = make([]float64, 4)
			var s share
			for range programs {
				quiet := true
				for _, x := range Analyze(w.run(random)).Estimates {
					quiet = quiet && x.Status != Affects && x.Status != Opposite
				}
				s.add(quiet)
			}
			t.Logf("%s: %d of %d programs without effects have a finding", w.name, s.of-s.held, s.of)
			if s.tooFew(0.95) {
				t.Errorf("%d of %d programs without effects have a finding", s.of-s.held, s.of)
			}
		})
	}
}
