package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
)

// The overlap of shifted lines equals the overlap of lines painted into a circle, tick by tick, for any times.
func TestShifted(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	window := analyze.Interval{Begin: 40, End: 140}
	line := func() (list []analyze.Interval) {
		for at := window.Begin + analyze.Nanos(random.IntN(9)); ; {
			end := at + 1 + analyze.Nanos(random.IntN(12))
			if end > window.End {
				return list
			}
			list = append(list, analyze.Interval{Begin: at, End: end})
			at = end + analyze.Nanos(random.IntN(9))
		}
	}
	painted := func(list []analyze.Interval, by analyze.Nanos) (circle [100]bool) {
		for _, i := range list {
			for at := i.Begin; at < i.End; at++ {
				circle[(at-window.Begin+by)%100] = true
			}
		}
		return circle
	}
	for range 200 {
		lines := [][]analyze.Interval{line(), line(), line()}
		shifts := make([]analyze.Nanos, len(lines))
		for i := range shifts {
			shifts[i] = analyze.Nanos(random.IntN(100))
		}
		want := analyze.Nanos(0)
		for i := range lines {
			for j := range i {
				a, b := painted(lines[i], shifts[i]), painted(lines[j], shifts[j])
				for at := range a {
					if a[at] && b[at] {
						want++
					}
				}
			}
		}
		if got := pairwise(lines, window, shifts, make([][]analyze.Interval, len(lines))); got != want {
			t.Fatalf("%v shifted by %v overlap for %d, and painted for %d", lines, shifts, got, want)
		}
	}
}

// Of all orders of six ranks, some of them ties, as many are drawn as there are that correlate as much, and the same
// seed draws the same.
func TestAtLeast(t *testing.T) {
	x, y := []float64{1, 2.5, 2.5, 4, 5, 6}, []float64{2, 1, 3, 5.5, 4, 5.5}
	product := func(x []float64) (sum float64) {
		for i := range x {
			sum += x[i] * y[i]
		}
		return sum
	}
	found, all, asMuch := product(x), 0, 0
	var orders func(x []float64, n int)
	orders = func(x []float64, n int) {
		if n == len(x) {
			if all++; product(x) >= found {
				asMuch++
			}
			return
		}
		for i := n; i < len(x); i++ {
			x[n], x[i] = x[i], x[n]
			orders(x, n+1)
			x[n], x[i] = x[i], x[n]
		}
	}
	orders(append([]float64{}, x...), 0)
	const drawn = 200_000
	draw := func(seed uint64) int {
		return atLeast(append([]float64{}, x...), y, Options{Permutations: drawn, Seed: seed})
	}
	got, share := draw(1), float64(asMuch)/float64(all)
	if deviation := math.Abs(float64(got)-share*drawn) / math.Sqrt(share*(1-share)*drawn); deviation > 4 {
		t.Errorf("%d of %d orders correlate as much, and %d of %d that were drawn", asMuch, all, got, drawn)
	}
	if again := draw(1); again != got {
		t.Errorf("the same seed draws %d and %d", got, again)
	}
	if other := draw(2); other == got {
		t.Errorf("another seed draws as many, %d", other)
	}
}
