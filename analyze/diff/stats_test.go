package diff

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtrace/analyze/policy"
)

// course makes a series of durations that depend on their neighbours, as durations of real calls do: an AR(1) process
// in logarithms.
func course(random *rand.Rand, n int, dependence, factor float64) *bins {
	b := &bins{}
	x := 0.0
	for i := range n {
		x = dependence*x + math.Sqrt(1-dependence*dependence)*random.NormFloat64()
		b.add(int64(1e9)+int64(i)*10_000, 1000*factor*math.Exp(0.3*x))
	}
	return b
}

// Equal series must be called different about as often as the significance level, although their values depend on each
// other. Without the merging of groups, dependent series were called different in nine of ten cases.
func TestLevelHoldsForDependentValues(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 2,400 series")
	}
	random := rand.New(rand.NewPCG(3, 4))
	for _, dependence := range []float64{0, 0.5, 0.9, 0.99} {
		tested, wrong := 0, 0
		for range 300 {
			a, b := course(random, 4000, dependence, 1).groups(), course(random, 4000, dependence, 1).groups()
			if a == nil || b == nil {
				continue
			}
			tested++
			if ranks(a, b).p < 0.05 {
				wrong++
			}
		}
		share := float64(wrong) / float64(tested)
		t.Logf("dependence %.2f: %d of 300 tested, %.1f%% called different", dependence, tested, 100*share)
		if share > 0.09 || tested < 150 {
			t.Errorf("dependence %.2f: %d of 300 tested, %.1f%% called different at the 5%% level", dependence, tested,
				100*share)
		}
	}
}

func TestPower(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 100 {
		a, b := course(random, 1000, 0.5, 1), course(random, 1000, 0.5, 1.1)
		if ga, gb := a.groups(), b.groups(); ga != nil && gb != nil {
			if c := ranks(ga, gb); c.p < 0.01 && c.low < 1.1 && c.high > 1.1 {
				found++
			}
		}
	}
	if found < 85 {
		t.Errorf("a call that is 10%% slower is found in %d of 100 pairs", found)
	}
}

// The interval of the ratio must hold the truth about 95 times in a hundred.
func TestIntervalsCover(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	sample := func(n int, factor float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 1000 * factor * math.Exp(0.2*random.NormFloat64())
		}
		return x
	}
	for name, test := range map[string]func([]float64, []float64) comparison{"ranks": ranks, "means": means} {
		for _, n := range [][2]int{{8, 8}, {32, 20}, {1, 5}} {
			if name == "ranks" && n[0] < policy.FewestGroups {
				continue
			}
			held := 0
			for range 400 {
				if c := test(sample(n[0], 1), sample(n[1], 1.3)); c.low <= 1.3 && 1.3 <= c.high {
					held++
				}
			}
			if held < 366 || held > 397 {
				t.Errorf("%s with %v: the interval held the truth %d of 400 times", name, n, held)
			}
		}
	}
}

// The U test against its exact distribution: of the 12870 ways to choose 8 of 16 ranks, 2·(number with U ≤ u)/12870 is
// p.
func TestRanksAgainstTheExactTest(t *testing.T) {
	counts := [65]float64{} // of subsets by U
	var choose func(next, left, u int)
	choose = func(next, left, u int) {
		if left == 0 {
			counts[u]++
			return
		}
		for r := next; r <= 16-left; r++ {
			choose(r+1, left-1, u+r-(8-left))
		}
	}
	choose(0, 8, 0)
	random := rand.New(rand.NewPCG(9, 10))
	for range 50 {
		a, b := make([]float64, 8), make([]float64, 8)
		for i := range a {
			a[i], b[i] = math.Exp(random.NormFloat64()), math.Exp(random.NormFloat64()+random.Float64())
		}
		u := 0
		for _, x := range a {
			for _, y := range b {
				if x > y {
					u++
				}
			}
		}
		// The values are in order of time; let neighbours differ, so that there is no autocorrelation to correct for.
		for _, x := range [][]float64{a, b} {
			slices.Sort(x)
			x[1], x[4], x[3], x[6] = x[4], x[1], x[6], x[3]
		}
		exact, upTo := 0.0, min(u, 64-u)
		for i := range upTo + 1 {
			exact += 2 * counts[i] / 12870
		}
		if got := ranks(a, b).p; math.Abs(got-math.Min(1, exact)) > 0.015 {
			t.Errorf("U = %d: p %.4f, exactly %.4f", u, got, exact)
		}
	}
}

// Sums over time lose nothing, in whatever order values come and however far apart they are.
func TestBinsKeepEverything(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	b, o := &bins{}, &bins{}
	sum := 0.0
	for i := range 5000 {
		at, v := random.Int64N(1e12)-1e9, random.Float64()
		if i%3 == 0 {
			at = random.Int64N(1e6)
		}
		sum += v
		if i%2 == 0 {
			b.add(at, v)
		} else {
			o.add(at, v)
		}
	}
	b.merge(o)
	got, count := 0.0, int64(0)
	for _, s := range b.sums {
		got += s.sum
		count += s.count
	}
	if math.Abs(got-sum) > 1e-6 || count != 5000 || len(b.sums) > policy.MostBins {
		t.Errorf("%d values with sum %v in %d bins, want 5000 with %v", count, got, len(b.sums), sum)
	}
}
