package statistics

import (
	"math"
	"slices"
)

// Median is the value in the middle, or the mean of the two there; NaN of none. The list stays as it is, and need not
// be sorted.
func Median(list []float64) float64 {
	n := len(list)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
