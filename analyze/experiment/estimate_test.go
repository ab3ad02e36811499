package experiment

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"mtrace/analyze"
	"mtrace/collector/wire"
)

// noisy is a world in which intervals are neither points nor useless.
var noisy = world{threads: 2, unit: 2e6, delay: 2e5, noise: 0.1, memory: 0.9, blocks: 200, block: 60 * ms, uneven: 1.3,
	alternating: true}

func (w world) with(truth ...float64) *world {
	w.truth = truth
	return &w
}

// A virtual speed-up compares two kinds of blocks (time ranges of the run): in one all threads pause except the
// target's thread, in the other all threads pause. For a target on the critical path the difference is the delay. For
// a target with slack, such as a commit while the GPU is the limit, the difference is zero, although its pauses cost
// nothing.
func TestSpeedupCurve(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var held share
	for range 30 {
		e := &analyze.Experiment{}
		at := analyze.Nanos(0)
		add := func(part *analyze.Experiment) {
			e.Threads, e.Targets = part.Threads, part.Targets
			for _, b := range part.Blocks {
				b.Begin, b.End = b.Begin+at, b.End+at
				e.Blocks = append(e.Blocks, b)
			}
			at = e.Blocks[len(e.Blocks)-1].End
		}
		baselines := noisy
		baselines.blocks = 20
		add(baselines.with(0).run(random))
		for i := range e.Blocks {
			e.Blocks[i].Target = 0
		}
		for _, delay := range []float64{0.1, 0.25, 0.5} { // of the target's 800 µs in a unit of 2 ms
			w := noisy.with(1, 0)
			w.delay = delay * 800e3
			part := w.run(random)
			for i := 0; i < len(part.Blocks); i += 2 {
				others, all := &part.Blocks[i], &part.Blocks[i+1]
				others.Target, others.Delay, all.Control = all.Target, all.Delay, true
			}
			add(part)
		}
		for i := range e.Targets {
			e.Targets[i].Mode, e.Targets[i].Took = wire.ExperimentSpeedup, 800e3
		}
		r := Analyze(e)
		for i, truth := range [][]float64{{0.04, 0.1, 0.2}, {0, 0, 0}} {
			curve := r.Estimates[i].Curve
			if len(curve) != 3 || math.Abs(curve[1].Share-0.25) > 1e-9 {
				t.Fatalf("%+v", curve)
			}
			for n, p := range curve {
				held.add(p.Saved.Low <= truth[n] && truth[n] <= p.Saved.High)
			}
		}
		if r.Estimates[0].Status != Affects || r.Estimates[1].Status == Affects {
			t.Errorf("%s and %s, want that the first affects progress", r.Estimates[0].Status, r.Estimates[1].Status)
		}
	}
	if held.tooFew(0.95) {
		t.Errorf("%d of %d points hold the truth", held.held, held.of)
	}
}

// An experiment that is inconclusive reports how much longer it must run, and that is mostly enough.
func TestLongerDecides(t *testing.T) {
	for _, blocks := range []int{8, 24} { // half of them treated
		random := rand.New(rand.NewPCG(3, 4))
		var decides share
		for range 15 {
			w := noisy.with(1)
			w.blocks, w.noise, w.delay = blocks, 0.2, 2e5
			r := Analyze(w.run(random))
			x := &r.Estimates[0]
			if x.Status != Undecided {
				continue
			}
			if x.Longer <= 0 {
				t.Fatalf("undecided, and not longer: %+v", x)
			}
			w.blocks += int(float64(w.blocks) * float64(x.Longer) / float64((&estimator{Experiment: r.Experiment}).ran()))
			decides.add(Analyze(w.run(random)).Estimates[0].Status != Undecided)
		}
		t.Logf("after %d blocks, %d of %d longer experiments decide", blocks, decides.held, decides.of)
		if decides.of < 5 || decides.tooFew(0.8) {
			t.Errorf("after %d blocks, %d of %d longer experiments decide", blocks, decides.held, decides.of)
		}
	}
}

// blocksOf are alternating baselines and blocks of one target, with so many units of progress in 100 ms.
func blocksOf(injected analyze.Nanos, units ...int64) (list []analyze.ExperimentBlock) {
	for i, n := range units {
		b := analyze.ExperimentBlock{Units: n}
		b.Begin, b.End = analyze.Nanos(i)*100*ms, analyze.Nanos(i+1)*100*ms
		if i%2 == 1 {
			b.Target, b.Delay, b.Injected, b.Occurrences = 1, 1000, injected, int64(injected)/1000
		}
		list = append(list, b)
	}
	return list
}

func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks []analyze.ExperimentBlock
		want   Status
		is     float64
	}{
		{"no blocks", nil, Undecided, math.NaN()},
		{"one pair", blocksOf(10*ms, 100, 90), Undecided, math.NaN()},
		{"a delay that costs itself", blocksOf(10*ms, 100, 90, 100, 90, 101, 90, 100, 90, 100, 91, 100, 90, 99, 90, 100),
			Affects, 1},
		{"a delay that costs nothing", blocksOf(10*ms, 100, 100, 101, 100, 100, 100, 100, 101, 100, 100, 100, 100, 100, 99),
			Slack, 0},
		{"a delay that helps", blocksOf(10*ms, 100, 110, 100, 111, 101, 110, 100, 110, 100, 109, 100, 110, 99, 110, 100),
			Opposite, -1},
		{"targets that were never reached", blocksOf(0, 100, 90, 100, 90, 101, 90, 100, 90, 100, 91, 100, 90, 99, 90),
			Undecided, math.NaN()},
		{"a program that stands still", blocksOf(10*ms, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), Slack, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &analyze.Experiment{Threads: 1, Targets: []analyze.ExperimentTarget{{ID: 1, Kind: wire.ExperimentCall,
				Mode: wire.ExperimentDelay}},
				Blocks: c.blocks}
			r := Analyze(e)
			x := r.Estimates[0]
			if x.Status != c.want || math.IsNaN(c.is) != (x.Sensitivity == nil) ||
				x.Sensitivity != nil && math.Abs(x.Sensitivity.Estimate-c.is) > 0.1 {
				t.Errorf("%s, sensitivity %+v, want %s, %v", x.Status, x.Sensitivity, c.want, c.is)
			}
			if !reflect.DeepEqual(r, Analyze(e)) {
				t.Error("the second analysis differs from the first")
			}
		})
	}
}

// Warnings name blocks without progress and an exceeded budget.
func TestWarnings(t *testing.T) {
	still := &analyze.Experiment{Progress: "mark:step", Blocks: blocksOf(10*ms, 0, 0, 1, 0, 0, 0)}
	if w := Analyze(still).Warnings; len(w) != 1 {
		t.Errorf("%q", w)
	}
	slow := &analyze.Experiment{Budget: 0.01, Blocks: blocksOf(10*ms, 100, 50, 100, 50)}
	if w := Analyze(slow).Warnings; len(w) != 1 {
		t.Errorf("%q", w)
	}
}
