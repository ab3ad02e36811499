package statistics

import (
	"math"
	"slices"
)

// Median returns the middle value of a list, or the mean of the two middle ones; NaN for an empty list. The list need
// not be sorted and is not changed.
func Median(list []float64) float64 {
	n := len(list)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
