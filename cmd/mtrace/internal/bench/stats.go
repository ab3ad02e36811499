package bench

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"mtrace/analyze/statistics"
)

// Summary describes the samples of a series, in the unit of its metric.
type Summary struct {
	Samples, Rounds        int
	Min, Mean, Median, Max float64
	// Low and High bound the median with a confidence of at least 95%; NaN with too few rounds.
	Low, High float64
	// Variation is the coefficient of variation of the rounds' medians (standard deviation by mean), a measure of the
	// machine's noise. NaN for one round.
	Variation float64
}

// Known says whether there were any samples.
func (s Summary) Known() bool { return s.Samples > 0 }

// Summarize describes a series. It may be nil.
func (s *Series) Summarize() Summary {
	none := Summary{Min: math.NaN(), Mean: math.NaN(), Median: math.NaN(), Max: math.NaN(), Low: math.NaN(),
		High: math.NaN(), Variation: math.NaN()}
	if s == nil {
		return none
	}
	all := slices.Concat(s.Rounds...)
	if len(all) == 0 {
		return none
	}
	medians := present(s.medians())
	low, high := medianInterval(medians)
	slices.Sort(all)
	return Summary{
		Samples: len(all), Rounds: len(medians),
		Min: all[0], Mean: stat.Mean(all, nil), Median: statistics.Median(all), Max: all[len(all)-1],
		Low: low, High: high, Variation: variation(medians),
	}
}

// medians returns the median of each round, NaN for a round without samples.
func (s *Series) medians() []float64 {
	medians := make([]float64, len(s.Rounds))
	for i, round := range s.Rounds {
		medians[i] = math.NaN()
		if len(round) > 0 {
			medians[i] = statistics.Median(round)
		}
	}
	return medians
}

func present(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), math.IsNaN)
}

func variation(values []float64) float64 {
	if len(values) < 2 {
		return math.NaN()
	}
	return stat.StdDev(values, nil) / math.Abs(stat.Mean(values, nil))
}

// confidence is the minimum coverage of every printed interval.
const confidence = 0.95

// medianInterval returns bounds of the median of the values' distribution, whatever the distribution is. The median is
// between the k-th smallest and the k-th largest value unless fewer than k values are on one side of it, and the number
// of values on a side is binomial (n, ½). It is computed from rounds and not from single operations: successive
// operations are correlated, and an interval from them would be too narrow. With fewer than six values there is no such
// interval.
func medianInterval(values []float64) (low, high float64) {
	n := len(values)
	binomial := distuv.Binomial{N: float64(n), P: 0.5}
	k := 0
	for k+1 <= n/2 && 1-2*binomial.CDF(float64(k)) >= confidence {
		k++
	}
	if k == 0 {
		return math.NaN(), math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[k-1], sorted[n-k]
}

// Ratio is the ratio of two series: the median over rounds of the ratio of the rounds' medians, and its interval.
// Rounds that are missing in one series are ignored.
type Ratio struct {
	Value, Low, High float64 // NaN without a common round; the interval is NaN with fewer than six
	Rounds           int
}

// RatioOf compares two series, round by round. Either may be nil.
func RatioOf(of, to *Series) Ratio {
	return byRound(of, to, func(a, b float64) float64 { return a / b })
}

// DifferenceOf is like RatioOf for the difference of two series, in their unit.
func DifferenceOf(of, from *Series) Ratio {
	return byRound(of, from, func(a, b float64) float64 { return a - b })
}

func byRound(of, to *Series, combine func(a, b float64) float64) Ratio {
	var combined []float64
	if of != nil && to != nil {
		a, b := of.medians(), to.medians()
		for i := range min(len(a), len(b)) {
			if c := combine(a[i], b[i]); !math.IsNaN(c) && !math.IsInf(c, 0) {
				combined = append(combined, c)
			}
		}
	}
	if len(combined) == 0 {
		return Ratio{math.NaN(), math.NaN(), math.NaN(), 0}
	}
	low, high := medianInterval(combined)
	slices.Sort(combined)
	return Ratio{statistics.Median(combined), low, high, len(combined)}
}
