package bench

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
)

func same(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b))
}

func rounds(values ...float64) *Series {
	s := &Series{}
	for _, v := range values {
		s.Rounds = append(s.Rounds, []float64{v})
	}
	return s
}

// The intervals agree with any table of the sign test: with n values, from the k-th smallest to the k-th largest.
func TestMedianInterval(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		n         int
		low, high float64
	}{
		{0, nan, nan}, {1, nan, nan}, {5, nan, nan}, // 1 − 2/2⁵ = 93.75%: not enough
		{6, 1, 6}, {7, 1, 7}, {8, 1, 8}, {9, 2, 8}, {11, 2, 10}, {12, 3, 10}, {20, 6, 15}, {30, 10, 21}, {100, 40, 61},
	} {
		var values []float64
		for i := c.n; i > 0; i-- {
			values = append(values, float64(i))
		}
		low, high := medianInterval(values)
		if !same(low, c.low) || !same(high, c.high) {
			t.Errorf("%d values: %v…%v, want %v…%v", c.n, low, high, c.low, c.high)
		}
	}
}

// An interval contains the median in at least 95 of 100 cases, here for times as skewed as latencies.
func TestMedianIntervalCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{6, 9, 11, 30} {
		const trials = 4000
		held := 0
		for range trials {
			values := make([]float64, n)
			for i := range values {
				values[i] = random.ExpFloat64()
			}
			if low, high := medianInterval(values); low <= math.Ln2 && math.Ln2 <= high {
				held++
			}
		}
		// Three standard errors of a share of 0.95 below it.
		if share := float64(held) / trials; share < 0.95-3*math.Sqrt(0.95*0.05/trials) {
			t.Errorf("%d values: the interval holds the median in %.1f%% of cases", n, 100*share)
		}
	}
}

func TestSummarize(t *testing.T) {
	s := (&Series{Rounds: [][]float64{{4, 1}, nil, {2, 3, 10}}}).Summarize()
	want := Summary{Samples: 5, Rounds: 2, Min: 1, Mean: 4, Median: 3, Max: 10, Low: math.NaN(), High: math.NaN(),
		Variation: (math.Sqrt2 / 4) / 2.75} // of the rounds' medians 2.5 and 3: deviation √(2·¼²), mean 2¾
	if s.Samples != want.Samples || s.Rounds != want.Rounds || s.Min != want.Min || s.Mean != want.Mean ||
		s.Median != want.Median || s.Max != want.Max ||
		!same(s.Low, want.Low) || !same(s.High, want.High) || !same(s.Variation, want.Variation) {
		t.Errorf("got %+v, want %+v", s, want)
	}
	var missing *Series
	if s := missing.Summarize(); s.Known() || !math.IsNaN(s.Median) || !math.IsNaN(s.Low) {
		t.Errorf("no samples: %+v", s)
	}
}

// The first figures of report R2 differed from each other by 511%: one kernel was measured after the other, while the
// machine changed. Here the cases alternate, and are compared round by round: a machine that becomes half as slow again
// in every round must not show in a ratio, nor widen its interval.
func TestRatioIgnoresDrift(t *testing.T) {
	slow, fast := &Series{}, &Series{}
	for round := range 9 {
		drift := math.Pow(1.5, float64(round))
		slow.Rounds = append(slow.Rounds, []float64{200 * drift, 201 * drift, 400 * drift})
		fast.Rounds = append(fast.Rounds, []float64{100 * drift, 100.5 * drift, 100 * drift})
	}
	got := RatioOf(slow, fast)
	if !same(got.Value, 2.01) || !same(got.Low, 2.01) || !same(got.High, 2.01) || got.Rounds != 9 {
		t.Errorf("got %+v, want 2.01 in all of 9 rounds", got)
	}
}

func TestByRound(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name           string
		of, to         *Series
		ratio, differs float64
		rounds         int
	}{
		{"rounds pair up", rounds(10, 20, 30), rounds(5, 5, 5), 4, 15, 3},
		{"what one lacks is left out", rounds(10, 20, 30), rounds(5), 2, 5, 1},
		{"nothing", rounds(), rounds(5), nan, nan, 0},
		{"no series", nil, rounds(5), nan, nan, 0},
		{"a round without samples", &Series{Rounds: [][]float64{nil, {8}}}, rounds(1, 2), 4, 6, 1},
	} {
		if r := RatioOf(c.of, c.to); !same(r.Value, c.ratio) || r.Rounds != c.rounds {
			t.Errorf("%s: ratio %+v, want %v of %d rounds", c.name, r, c.ratio, c.rounds)
		}
		if d := DifferenceOf(c.of, c.to); !same(d.Value, c.differs) || d.Rounds != c.rounds {
			t.Errorf("%s: difference %+v, want %v of %d rounds", c.name, d, c.differs, c.rounds)
		}
	}
	if r := RatioOf(rounds(1), rounds(0)); !math.IsNaN(r.Value) {
		t.Errorf("a ratio to nothing is %v", r.Value)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{duration(0.5), "0.500 ns"}, {duration(9.55), "9.55 ns"}, {duration(999), "999 ns"}, {duration(1000), "1.00 µs"},
		{duration(65179), "65.2 µs"},
		{duration(1.5e6), "1.50 ms"}, {duration(8.36e6), "8.36 ms"}, {duration(123.4e9), "123 s"},
		{duration(-27.1), "-27.1 ns"}, {duration(math.NaN()), "–"},
		{formatCount(12_000_000), "12,000,000"}, {formatCount(999), "999"}, {formatCount(1000), "1,000"},
		{formatCount(-65179), "-65,179"},
		{formatCount(0), "0"},
		{times(1.934), "1.93x"}, {times(218.3), "218x"}, {times(56824.9), "56,825x"}, {percent(0.5981), "59.8%"},
		{bytesText(10916), "10.7 KiB"}, {bytesText(512), "512 B"}, {bytesText(48e6), "45.8 MiB"},
		{bytesText(3 << 30), "3.00 GiB"},
		{perSecond(2*1024*1024*1024, 4.37e6), "491"}, {perSecond(0, 1), "–"}, {significant(0), "0"},
		{significant(0.0123), "0.0123"}, {significant(1e-9), "0.000000"},
		{interval(1, 2, significant), "1.00…2.00"}, {interval(math.NaN(), 2, significant), "–"},
		{analyze.Plural(1, "round"), "1 round"}, {analyze.Plural(6, "round"), "6 rounds"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
