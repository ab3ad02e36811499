package statistics

import (
	"math"
	"slices"
	"testing"
)

// The story: there were seven medians. One sorted its argument in place, three assumed that it was sorted, and two
// returned the upper of the two middle values.
func TestMedian(t *testing.T) {
	list := []float64{9, 1, 4, 3}
	if m := Median(list); m != 3.5 || !slices.Equal(list, []float64{9, 1, 4, 3}) {
		t.Errorf("%v of %v", m, list)
	}
	if m := Median(list[:3]); m != 4 {
		t.Errorf("%v of %v", m, list[:3])
	}
	if m := Median(nil); !math.IsNaN(m) {
		t.Errorf("%v of nothing", m)
	}
}
