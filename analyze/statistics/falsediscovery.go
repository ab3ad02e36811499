// Package statistics has functions that several analyses need and the standard library lacks.
package statistics

import (
	"cmp"
	"slices"
)

// FalseDiscovery adjusts p-values for the number of tests. If all tests with an adjusted value of at most q count as
// significant, an expected share of at most q of these is false. Y. Benjamini, Y. Hochberg, Controlling the False
// Discovery Rate, JRSS B 57, 1995.
func FalseDiscovery(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	q := make([]float64, len(p))
	least := 1.0
	for rank := len(order); rank > 0; rank-- {
		i := order[rank-1]
		least = min(least, p[i]*float64(len(p))/float64(rank))
		q[i] = least
	}
	return q
}
