package bench

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"mtrace/analyze/statistics"
)

// Summary has statistics of a series, in the metric's unit. All are NaN if there are no samples.
type Summary struct {
	Samples, Rounds        int
	Min, Mean, Median, Max float64
	// Low and High are the 95% confidence interval of the median; NaN with fewer than six rounds.
	Low, High float64
	// Variation is the standard deviation of the rounds' medians divided by their mean; a large value means a noisy
	// machine. NaN with one round.
	Variation float64
}

// Known says whether there were any samples.
func (s Summary) Known() bool { return s.Samples > 0 }

// Summarize returns the series' statistics. A nil series gives NaN, so tables print a dash for a case that was not
// run.
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

// confidence is the minimum probability that a printed interval contains the true median.
const confidence = 0.95

// medianInterval returns a confidence interval of the median, from the k-th smallest to the k-th largest value. It
// assumes no particular distribution: k follows from the binomial distribution of how many values lie below the
// median. The values must be medians of rounds, because successive single operations are correlated, so an interval
// from them would be too narrow. With fewer than six values it returns NaN.
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

// Ratio compares two series round by round. Value is the median, over all rounds, of the ratio (or difference)
// between the medians that the two series have in that round; Low and High are its 95% interval. Rounds that only one
// series has are ignored.
type Ratio struct {
	Value, Low, High float64 // NaN without a common round; the interval is NaN with fewer than six
	Rounds           int
}

// RatioOf returns the ratio `of`/`to`, compared round by round. A nil series gives NaN.
func RatioOf(of, to *Series) Ratio {
	return byRound(of, to, func(a, b float64) float64 { return a / b })
}

// DifferenceOf returns the difference `of` − `from`, compared round by round, in the unit of both series. A nil
// series gives NaN.
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
