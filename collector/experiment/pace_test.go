package experiment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestRound: each target is delayed once in a round, next to a baseline, in an order that the seed alone decides.
func TestRound(t *testing.T) {
	targets := []int{1, 2, 3, 4, 5}
	first, last := map[int]int{}, 0
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		steps := round(random, targets)
		var treated []int
		for i := 0; i < len(steps); i += 2 {
			a, b := steps[i].target, steps[i+1].target
			if (a == 0) == (b == 0) {
				t.Fatalf("blocks %d and %d of %v are no target and its baseline", i, i+1, steps)
			}
			treated = append(treated, a+b)
			if a == 0 {
				last++
			}
		}
		first[treated[0]]++
		if slices.Sort(treated); !slices.Equal(treated, targets) {
			t.Fatalf("a round delays %v", treated)
		}
	}
	for target := range targets {
		if n := first[target+1]; n < 320 || n > 480 {
			t.Errorf("target %d came first in %d of 2000 rounds, want about 400", target+1, n)
		}
	}
	if share := float64(last) / 10000; share < 0.47 || share > 0.53 {
		t.Errorf("the baseline came first in %.2f of the pairs, want half", share)
	}
	a, b := round(rand.New(rand.NewPCG(7, 7)), targets), round(rand.New(rand.NewPCG(7, 7)), targets)
	if !slices.Equal(a, b) {
		t.Errorf("one seed makes the rounds %v and %v", a, b)
	}
}

// TestPace: blocks are long compared with an iteration, and short enough that there are many.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		unit          time.Duration
		threads       int
		block, settle time.Duration
	}{
		{10 * time.Microsecond, 1, 100 * time.Millisecond, 10 * time.Millisecond},
		{10 * time.Millisecond, 1, 250 * time.Millisecond, 30 * time.Millisecond},
		{10 * time.Millisecond, 4, time.Second, 120 * time.Millisecond},
		{time.Second, 1, 10 * time.Second, 3 * time.Second},
		{5 * time.Second, 2, 10 * time.Second, 5 * time.Second},
	} {
		if p := paceOf(c.unit, c.threads); p.block != c.block || p.settle != c.settle {
			t.Errorf("a unit of %v, %d threads: blocks of %v and %v to settle, want %v and %v", c.unit, c.threads, p.block,
				p.settle, c.block, c.settle)
		}
	}
}

// TestDoseUnderLoad: delays do not shrink to nothing because some blocks are hit by bursts of other load.
func TestDoseUnderLoad(t *testing.T) {
	const share, perSecond, programs, blocks = 0.10, 1000.0, 200, 40
	for _, sensitivity := range []float64{0, 1} {
		random := rand.New(rand.NewPCG(5, uint64(sensitivity)))
		small := 0
		for range programs {
			d, all := newDose(perSecond, share), budget{share: share / 2}
			for range blocks {
				slowed := math.Log1p(sensitivity*d.now.Seconds()*perSecond) + 0.1*random.NormFloat64()
				switch random.IntN(5) { // one of the two blocks takes eight times as long
				case 0:
					slowed += math.Log(8)
				case 1:
					slowed -= math.Log(8)
				}
				all.slowed.add(1, slowed)
				d.learn(slowed, all.allowed())
			}
			if d.now < d.most/20 {
				small++
			}
		}
		if small > programs/50 {
			t.Errorf("sensitivity %v: in %d of %d programs the delays end below a twentieth of the largest", sensitivity, small,
				programs)
		}
	}
}

// TestBudget: whatever the sensitivity and however noisy the machine, the treated blocks of a target are slower by no
// more than they may be (two fifths more, of fifty threads on a noisy machine), and where nothing is lost delays are
// not smaller than they need to be.
func TestBudget(t *testing.T) {
	const share, perSecond = 0.10, 1000.0 // a millisecond for an iteration
	for _, sensitivity := range []float64{0, 0.3, 1, 2, 6, 12, 50} {
		for _, noise := range []float64{0, 0.03, 0.1} {
			var worst, sum, doses float64
			const programs, blocks = 100, 20
			random := rand.New(rand.NewPCG(3, uint64(sensitivity*1000+noise*100)))
			for range programs {
				d, all := newDose(perSecond, share), budget{share: share / 2}
				total := 0.0
				for range blocks {
					slowed := sensitivity * d.now.Seconds() * perSecond
					total += slowed
					doses += d.now.Seconds() * perSecond
					measured := slowed + noise*random.NormFloat64()
					all.slowed.add(1, measured)
					d.learn(measured, all.allowed())
				}
				sum += total / blocks
				worst = math.Max(worst, total/blocks)
			}
			mean, dose := sum/programs, doses/programs/blocks
			if mean > 1.5*share || worst > 3*share {
				t.Errorf("sensitivity %v, noise %v: blocks are slower by %.3f on average, %.3f at worst, want at most %v",
					sensitivity, noise, mean, worst, share)
			}
			if largest := min(share, share/math.Max(sensitivity, 1)); dose < 0.4*largest {
				t.Errorf("sensitivity %v, noise %v: delays are %.4f of the time, want near %.4f", sensitivity, noise, dose,
					largest)
			}
		}
	}
}
