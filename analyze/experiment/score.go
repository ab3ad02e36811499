package experiment

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"mtrace/analyze/policy"
	"mtrace/analyze/statistics"
)

// A pair compares a treated block with a neighbouring block without delays. Without noise, y = slope · x.
type pair struct {
	block  int     // the treated block; pairs of one block are not independent
	x, y   float64 // x: delay per unit of progress; y: how much longer a unit took; both in ns
	z      float64 // the delay per unit that was requested; x is the measured delay
	weight float64 // a longer pair has less noise: the root of the harmonic mean of both lengths, in seconds
}

// A score estimates the slope of pairs: how much longer a unit of progress takes in a treated block (with delays) than
// in neighbouring blocks without delays, for each ns of delay. The method is chosen to withstand these properties of
// measured programs:
//
//   - Drift: each treated block is compared only with the baselines directly before and after it, so slow changes of
//     the program or the machine cancel.
//   - Bursts of other load: residuals count by Huber's function, so a disturbed block has a bounded influence
//     (P. J. Huber, Robust Estimation of a Location Parameter, Ann. Math. Statist. 35, 1964). A burst hits a treated
//     block as often as a baseline, so each pair's residual is symmetric and the estimate has no bias.
//   - Bursts that prolong delays: a thread that wakes late or loses its processor has a longer delay in a slower block,
//     for the same reason. So each residual is weighted by the delay that was asked for, which the experiment chose at
//     random, and not by the measured one: the method of instrumental variables.
//   - Autocorrelation, and baselines that two treated blocks share: the variance of the scores of blocks, in order of
//     time, has Bartlett's weights (W. K. Newey, K. D. West, Econometrica 55, 1987). It is never less than that
//     without autocorrelation. Critical values are those for the share of lags used (N. M. Kiefer, T. J. Vogelsang,
//     Econometric Theory 21, 2005) and for Student's t with the effective number of blocks.
//   - Few blocks: the interval has the slopes that the test does not reject, instead of a multiple of one standard
//     error, so outliers and few blocks make it wider, perhaps without an end.
type score struct {
	pairs  []pair
	scale  float64 // standard deviation of the residuals, without outliers
	blocks int
	free   float64 // degrees of freedom
	cut    float64 // critical value of the test at 95%
	wider  float64 // factor by which critical values exceed Student's
	lags   int
}

// huberTuning is the bound of Huber's function in standard deviations. With the value 1.345, which is Huber's, the
// estimate has 95% efficiency under normal noise.
const huberTuning = 1.345

// madToDeviation converts a median absolute deviation into the standard deviation of a normal distribution.
const madToDeviation = 1.4826

// newScore prepares the estimate of a slope from pairs, each of which compares a block with delays with a block without
// delays. The pairs must be sorted by block. `scale` is the noise of differences between blocks without delays, as a
// standard deviation. If it is not known (0), the pairs' own noise is used.
func newScore(pairs []pair, scale float64) *score {
	s := &score{pairs: pairs, scale: scale}
	var sum, squares float64
	for i := 0; i < len(pairs); {
		information := 0.0
		block := pairs[i].block
		for ; i < len(pairs) && pairs[i].block == block; i++ {
			information += pairs[i].weight * pairs[i].weight * pairs[i].z * pairs[i].z
		}
		s.blocks++
		sum, squares = sum+information, squares+information*information
	}
	if s.blocks < 2 || !(squares > 0) {
		return s
	}
	s.free = max(1, sum*sum/squares-1)
	n := float64(s.blocks)
	s.lags = min(s.blocks-1, max(1, int(4*math.Pow(n/100, 2.0/9))))
	b := float64(s.lags+1) / n
	if s.lags+1 > s.blocks/2 {
		b = 0.5
	}
	// Kiefer and Vogelsang, table 1: critical values of Bartlett's kernel at 97.5%, as a polynomial of the share b
	s.wider = (1.9600 + 2.9694*b + 0.4160*b*b - 0.5324*b*b*b) / 1.9600
	s.cut = s.wider * student(s.free).Quantile(0.975)
	if s.scale == 0 {
		s.scale = s.ownScale()
	}
	return s
}

func student(free float64) distuv.StudentsT { return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free} }

// ownScale returns the noise of the pairs: the scale of their residuals around the weighted median slope.
func (s *score) ownScale() float64 {
	slope := medianSlope(s.pairs)
	var off []float64
	for _, p := range s.pairs {
		off = append(off, p.weight*math.Abs(p.y-slope*p.x))
	}
	return madToDeviation * statistics.Median(off)
}

// medianSlope returns the weighted median of y/x, or 0 without pairs.
func medianSlope(pairs []pair) float64 {
	type slope struct{ at, weight float64 }
	var list []slope
	sum := 0.0
	for _, p := range pairs {
		if p.x > 0 {
			list = append(list, slope{p.y / p.x, p.weight * p.z})
			sum += p.weight * p.z
		}
	}
	slices.SortFunc(list, func(a, b slope) int { return cmp.Compare(a.at, b.at) })
	upTo := 0.0
	for _, l := range list {
		if upTo += l.weight; upTo >= sum/2 {
			return l.at
		}
	}
	return 0
}

// at returns the sum of all blocks' scores for an assumed slope, and the sum's standard deviation. The sum falls as
// the slope rises; the estimate is the slope at which the sum is 0.
func (s *score) at(slope float64) (sum, deviation float64) {
	of := make([]float64, 0, s.blocks)
	for i := 0; i < len(s.pairs); {
		block, first := s.pairs[i].block, i
		score := 0.0
		for ; i < len(s.pairs) && s.pairs[i].block == block; i++ {
			p := &s.pairs[i]
			residual := p.weight * (p.y - slope*p.x)
			if limit := huberTuning * s.scale; limit > 0 {
				residual = min(max(residual, -limit), limit)
			}
			score += p.weight * p.z * residual
		}
		of = append(of, score/float64(i-first))
		sum += of[len(of)-1]
	}
	n := float64(len(of))
	variance := make([]float64, s.lags+1)
	for lag := range variance {
		for i := lag; i < len(of); i++ {
			variance[lag] += (of[i] - sum/n) * (of[i-lag] - sum/n)
		}
	}
	long := variance[0]
	for lag := 1; lag <= s.lags; lag++ {
		long += 2 * (1 - float64(lag)/float64(s.lags+1)) * variance[lag]
	}
	return sum, math.Sqrt(max(long, variance[0]) * n / max(1, n-1))
}

// A Slope is an estimate with its 95% interval. An end of the interval that has no bound is infinite.
type Slope struct{ Estimate, Low, High float64 }

// estimate returns the slope with its interval, or false if there are too few treated blocks (time ranges with delays).
func (s *score) estimate() (Slope, bool) {
	if s.blocks < policy.FewestTreatedBlocks || s.cut == 0 {
		return Slope{}, false
	}
	start := medianSlope(s.pairs)
	step := max(s.spread(), 1e-9*math.Abs(start), 1e-12)
	sum := func(slope float64) float64 { v, _ := s.at(slope); return v }
	test := func(limit float64) func(float64) float64 {
		return func(slope float64) float64 { v, deviation := s.at(slope); return v - limit*deviation }
	}
	at := root(sum, start, step)
	return Slope{Estimate: at, Low: root(test(s.cut), at, -step), High: root(test(-s.cut), at, step)}, true
}

// spread returns a rough standard error of the slope, as the step for the search of the interval's ends.
func (s *score) spread() float64 {
	information := 0.0
	for _, p := range s.pairs {
		information += p.weight * p.weight * p.z * p.z
	}
	return s.scale / math.Sqrt(max(information, math.SmallestNonzeroFloat64))
}

// pValue returns the probability of scores as extreme as these if the true slope had the given value.
func (s *score) pValue(slope float64) float64 {
	sum, deviation := s.at(slope)
	if sum == 0 {
		return 1
	}
	if deviation == 0 {
		return 0
	}
	return 2 * student(s.free).Survival(math.Abs(sum)/deviation/s.wider)
}

// root returns the zero of a falling function. From `start` it searches in growing steps toward the zero, and then
// bisects. It returns an infinite value if the function does not change its sign.
func root(of func(float64) float64, start, step float64) float64 {
	begin := of(start)
	if begin == 0 {
		return start
	}
	if (begin > 0) != (step > 0) { // the root of a falling function lies above where it is positive
		step = -step
	}
	near, far := start, start
	for range 60 {
		far += step
		step *= 2
		if v := of(far); (v > 0) != (begin > 0) {
			for range 60 {
				middle := (near + far) / 2
				if (of(middle) > 0) == (begin > 0) {
					near = middle
				} else {
					far = middle
				}
			}
			return (near + far) / 2
		}
		near = far
	}
	return math.Copysign(math.Inf(1), step)
}
