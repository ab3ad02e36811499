package evidence

import (
	"cmp"
	"math"
	"slices"
)

// ranks are the ranks of the values; equal values share the mean of theirs.
func ranks(values []float64) []float64 {
	order := inOrder(values)
	r := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			r[k] = float64(i+j-1) / 2
		}
		i = j
	}
	return r
}

// correlation is Pearson's, of ranks it is Spearman's.
func correlation(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, sxx, syy, sxy float64
	for i := range x {
		sx += x[i]
		sy += y[i]
		sxx += x[i] * x[i]
		syy += y[i] * y[i]
		sxy += x[i] * y[i]
	}
	d := math.Sqrt((sxx - sx*sx/n) * (syy - sy*sy/n))
	if d == 0 || math.IsNaN(d) {
		return 0
	}
	return (sxy - sx*sy/n) / d
}

// effect is the share of the mean of y that the slope of y over x explains, for the longest hundredth cut to the 99th percentile.
func effect(y, x []float64) float64 {
	top := slices.Sorted(slices.Values(y))[len(y)*99/100]
	var r regression
	for i := range x {
		r.add(x[i], min(y[i], top), 1)
	}
	if r.y <= 0 {
		return 0
	}
	return r.slope() * r.x / r.y
}

// spearmanInterval is the 95 % interval of a rank correlation of n pairs, by Fisher's transformation with the variance 1.06/(n−3)
// of E. C. Fieller, H. O. Hartley, E. S. Pearson, Tests for Rank Correlation Coefficients, 1957.
func spearmanInterval(rho float64, n int) (low, high float64) {
	if n <= 3 {
		return -1, 1
	}
	rho = min(max(rho, -0.999999), 0.999999)
	z, d := math.Atanh(rho), 1.96*math.Sqrt(1.06/float64(n-3))
	return math.Tanh(z - d), math.Tanh(z + d)
}

// inOrder are the indexes of values, the smallest value's first; equal ones stay as they are.
func inOrder(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	return order
}
