package statistics

import (
	"math"
	"slices"
)

// Median returns the middle value, or the mean of the two middle ones; NaN if there are none. The list need not be
// sorted, and is not changed.
func Median(list []float64) float64 {
	n := len(list)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
