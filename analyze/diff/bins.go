package diff

import (
	"math"

	"mtrace/analyze/policy"
)

// bins sums values by the time at which they occurred, in equal intervals. The number of intervals is limited, so they
// widen as the run grows. Statistical tests use the means of intervals instead of single values: successive values,
// such as the durations of calls in a loop, are correlated, and a test of them would report noise as a change.
type bins struct {
	width int64 // nanoseconds; a power of two
	first int64 // number of sums[0]: its interval is [first·width, (first+1)·width)
	sums  []bin
}

type bin struct {
	count int64
	sum   float64
}

func (b *bins) add(at int64, value float64) {
	if b.width == 0 {
		b.width = 1 << 10
		b.first = floorDiv(at, b.width)
	}
	i := floorDiv(at, b.width)
	for len(b.sums) > 0 && max(i, b.first+int64(len(b.sums))-1)-min(i, b.first) >= policy.MostBins {
		b.widen()
		i = floorDiv(at, b.width)
	}
	switch {
	case len(b.sums) == 0:
		b.first, b.sums = i, make([]bin, 1, policy.MostBins)
	case i < b.first:
		grown := make([]bin, int64(len(b.sums))+b.first-i, policy.MostBins)
		copy(grown[b.first-i:], b.sums)
		b.first, b.sums = i, grown
	}
	for i >= b.first+int64(len(b.sums)) {
		b.sums = append(b.sums, bin{})
	}
	s := &b.sums[i-b.first]
	s.count++
	s.sum += value
}

// widen doubles the length of the intervals and merges their sums.
func (b *bins) widen() {
	first := floorDiv(b.first, 2)
	var wider []bin
	for i, s := range b.sums {
		at := floorDiv(b.first+int64(i), 2) - first
		for int64(len(wider)) <= at {
			wider = append(wider, bin{})
		}
		wider[at].count += s.count
		wider[at].sum += s.sum
	}
	b.width, b.first, b.sums = 2*b.width, first, wider
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// split joins neighbouring intervals into at most 64 groups with about equally many values each.
func (b *bins) split() []bin {
	var total, seen int64
	for _, s := range b.sums {
		total += s.count
	}
	var groups []bin
	var open bin
	for _, s := range b.sums {
		open.count += s.count
		open.sum += s.sum
		seen += s.count
		if open.count > 0 && seen*policy.MostGroups >= total*int64(len(groups)+1) {
			groups = append(groups, open)
			open = bin{}
		}
	}
	return groups
}

func meansOf(groups []bin) []float64 {
	means := make([]float64, len(groups))
	for i, g := range groups {
		means[i] = g.sum / float64(g.count)
	}
	return means
}

// stretches returns the means of up to 64 groups of neighbouring intervals.
func (b *bins) stretches() []float64 { return meansOf(b.split()) }

// groups returns means that are nearly independent of each other, as the tests require. It merges pairs of neighbours
// while neighbouring means are correlated (lag-1 autocorrelation, one-sided at 5%): the method of batch means (Law
// and Kelton, Simulation Modeling and Analysis, §9.5.3). It returns nil if fewer than eight means remain.
func (b *bins) groups() []float64 {
	groups := b.split()
	for len(groups) >= policy.FewestGroups {
		means := meansOf(groups)
		if autocorrelation(means) <= policy.AutocorrelationLimit/math.Sqrt(float64(len(means))) {
			return means
		}
		for i := range len(groups) / 2 {
			a, b := groups[2*i], groups[2*i+1]
			groups[i] = bin{a.count + b.count, a.sum + b.sum}
		}
		groups = groups[:len(groups)/2]
	}
	return nil
}

// autocorrelation returns the correlation of a series with itself shifted by one (lag 1), −1 to 1; 0 for a constant
// series.
func autocorrelation(x []float64) float64 {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	var cov, variance float64
	for i, v := range x {
		variance += (v - mean) * (v - mean)
		if i > 0 {
			cov += (v - mean) * (x[i-1] - mean)
		}
	}
	if variance <= 1e-18*mean*mean || math.IsNaN(variance) {
		return 0
	}
	return cov / variance
}

// merge adds the values of another bins.
func (b *bins) merge(o *bins) {
	for i, s := range o.sums {
		if s.count > 0 {
			at := (o.first + int64(i)) * o.width
			b.add(at, s.sum/float64(s.count))
			j := floorDiv(at, b.width) - b.first
			b.sums[j].count += s.count - 1
			b.sums[j].sum += s.sum * float64(s.count-1) / float64(s.count)
		}
	}
}
