package evidence

import (
	"math"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// effect returns the share of the mean of y that disappears at x = 0, by a linear regression of y over x. Values of y
// above the 99th percentile are reduced to it, so that a few outliers do not decide the slope.
func effect(y, x []float64) float64 {
	top := slices.Sorted(slices.Values(y))[len(y)*policy.LongestPercentile/100]
	var r regression
	for i := range x {
		r.add(x[i], min(y[i], top), 1)
	}
	if r.y <= 0 {
		return 0
	}
	return r.slope() * r.x / r.y
}

// spearmanInterval returns the 95% interval of a rank correlation rho of n pairs. It uses Fisher's transformation
// with the variance 1.06/(n−3) of E. C. Fieller, H. O. Hartley, E. S. Pearson, Tests for Rank Correlation
// Coefficients, 1957.
func spearmanInterval(rho float64, n int) (low, high float64) {
	if n <= 3 {
		return -1, 1
	}
	rho = min(max(rho, -0.999999), 0.999999)
	z, d := math.Atanh(rho), 1.96*math.Sqrt(1.06/float64(n-3))
	return math.Tanh(z - d), math.Tanh(z + d)
}

// A regression is a weighted linear regression of y over x, kept as the sums that it needs.
type regression struct{ n, x, y, xx, xy float64 }

func (r *regression) add(x, y, weight float64) {
	r.n += weight
	r.x += weight * x
	r.y += weight * y
	r.xx += weight * x * x
	r.xy += weight * x * y
}

func (r *regression) slope() float64 {
	if r.n == 0 {
		return 0
	}
	mean := r.x / r.n
	variance := r.xx/r.n - mean*mean
	if variance < policy.LeastVariance {
		return 0
	}
	return (r.xy/r.n - mean*r.y/r.n) / variance
}

// Median returns the median of the durations; of an even number, the larger of the two middle ones; of none, 0. It
// does not change the list.
func Median(list []analyze.Nanos) analyze.Nanos { return Quickest(list, 2) }

// Quickest returns the quantile 1/of of the durations: for `of` = 10, a tenth of the durations is shorter. It returns
// 0 if there are no durations. It does not change the list.
func Quickest(list []analyze.Nanos, of int) analyze.Nanos {
	if len(list) == 0 {
		return 0
	}
	return nth(slices.Clone(list), len(list)/of)
}

// nth returns the element that would be at index n if the list was sorted. It partitions only the part that contains
// it, because sorting a hundred thousand durations would take too long. It changes the order of the list.
func nth(list []analyze.Nanos, n int) analyze.Nanos {
	// only a list that was crafted to be slow needs 64 rounds; the rest of such a list is sorted
	for round := 0; len(list) > 32 && round < 64; round++ {
		last := len(list) - 1
		pivot := middle(middle(list[0], list[last/8], list[last/4]), middle(list[last*3/8], list[last/2], list[last*5/8]),
			middle(list[last*3/4], list[last*7/8], list[last]))
		less, more := 0, len(list) // elements before less are below the pivot, those from more on are above it
		for i := 0; i < more; {
			switch v := list[i]; {
			case v < pivot:
				list[i], list[less] = list[less], v
				less, i = less+1, i+1
			case v > pivot:
				more--
				list[i], list[more] = list[more], v
			default:
				i++
			}
		}
		switch {
		case n < less:
			list = list[:less]
		case n >= more:
			list, n = list[more:], n-more
		default:
			return pivot
		}
	}
	slices.Sort(list)
	return list[n]
}

func middle(a, b, c analyze.Nanos) analyze.Nanos { return max(min(a, b), min(max(a, b), c)) }

// SpreadOf returns the interquartile range of the durations, or 0 if there are fewer than four.
func SpreadOf(list []analyze.Nanos) analyze.Nanos {
	if len(list) < 4 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[len(list)*3/4] - list[len(list)/4]
}
