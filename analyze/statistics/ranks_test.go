package statistics

import (
	"slices"
	"testing"
)

func TestRanks(t *testing.T) {
	for _, c := range []struct{ values, want []float64 }{
		{nil, []float64{}},
		{[]float64{7}, []float64{0}},
		{[]float64{3, 1, 2}, []float64{2, 0, 1}},
		{[]float64{5, 1, 5, 9}, []float64{1.5, 0, 1.5, 3}},
		{[]float64{4, 4, 4}, []float64{1, 1, 1}},
	} {
		if got := Ranks(c.values); !slices.Equal(got, c.want) {
			t.Errorf("the ranks of %v are %v, not %v", c.values, got, c.want)
		}
	}
}
