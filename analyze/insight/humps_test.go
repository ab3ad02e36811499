package insight

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/tracesim"
)

// No second mode is reported for distributions with one mode, and two modes are found at their positions.
func TestTwoHumps(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	normal := func(middle, spread float64) float64 { return middle * math.Exp(spread*random.NormFloat64()) }
	for name, c := range map[string]struct {
		draw func() float64
		two  bool
	}{
		"one":            {func() float64 { return normal(100, 0.1) }, false},
		"one, wide":      {func() float64 { return normal(100, 0.8) }, false},
		"even":           {func() float64 { return 100 + 900*random.Float64() }, false},
		"exponential":    {func() float64 { return 20 + 100*random.ExpFloat64() }, false},
		"with a tail":    {func() float64 { return normal(100, 0.05) + 50*random.ExpFloat64() }, false},
		"equal":          {func() float64 { return 100 }, false},
		"few outliers":   {func() float64 { return normal(100+900*math.Floor(random.Float64()*1.04), 0.1) }, false},
		"two":            {func() float64 { return normal(100+200*float64(random.IntN(2)), 0.08) }, true},
		"two, far apart": {func() float64 { return normal(100+2000*math.Floor(random.Float64()*1.3), 0.2) }, true},
	} {
		wrong := 0
		for range 50 {
			var list []analyze.Nanos
			for range 200 {
				list = append(list, analyze.Nanos(1000*c.draw()))
			}
			if _, two := twoHumps(list); two != c.two {
				wrong++
			}
		}
		if wrong > 1 {
			t.Errorf("%s: wrong %d times of 50", name, wrong)
		}
	}
}

// A kernel with two usual times had one row and one mean.
func TestPopulations(t *testing.T) {
	for name, c := range map[string]struct {
		step func(th *tracesim.Thread, q *tracesim.Queue, i int)
		says string // "": nothing
	}{
		"two humps": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Wait(iterate(th, q, int64(200+600*(i%3/2))*us, "step"))
		}, "kernel step on the GPU have two humps: 66 dispatches take about"},
		"one": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Wait(iterate(th, q, 400*us, "step"))
		}, ""},
		"two kernels": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Wait(iterate(th, q, int64(200+600*(i%2))*us, []string{"small", "large"}[i%2]))
		}, ""},
	} {
		found, there := look(t, 1, steady(99, c.step))["two-populations"]
		if there != (c.says != "") || !strings.Contains(found.Evidence, c.says) {
			t.Errorf("%s: found %v: %s", name, there, found.Evidence)
		}
	}
}
