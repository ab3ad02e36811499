package statistics

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Ranks returns the rank of each value, counted from 0. Equal values all get the mean of their ranks.
func Ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks := make([]float64, len(values))
	for first := 0; first < len(order); {
		end := first
		for end < len(order) && values[order[end]] == values[order[first]] {
			end++
		}
		for _, i := range order[first:end] {
			ranks[i] = float64(first+end-1) / 2
		}
		first = end
	}
	return ranks
}

// Correlation returns Pearson's correlation of two lists, −1 to 1; for ranks this is Spearman's correlation. It
// returns 0 if all values of one list are equal.
func Correlation(x, y []float64) float64 {
	r := stat.Correlation(x, y, nil)
	if math.IsNaN(r) {
		return 0
	}
	return r
}
