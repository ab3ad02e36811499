package scaling

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"mtrace/analyze/policy"
)

// A guess is one plausible set of a law's parameters. Confidence intervals are computed from many guesses.
type guess struct {
	p      []float64
	lambda float64
}

// uncertainty returns many plausible sets of parameters, and the method by which they were drawn. If each number of
// threads was run at least three times, it fits the law to resampled runs (a stratified bootstrap). Otherwise it
// draws the sets from the asymptotic distribution of the least-squares estimate: Student's t with as many degrees of
// freedom as there are points beyond the number of parameters (Seber and Wild, Nonlinear Regression, 1989, §5.1).
// Negative values become 0, the lower bound of the parameters.
func (l law) uncertainty(points []Point, p []float64, lambda float64) ([]guess, string) {
	random := rand.New(rand.NewPCG(1, 2)) // the same data give the same interval
	fewest := math.MaxInt
	for _, pt := range points {
		fewest = min(fewest, len(pt.Samples))
	}
	if fewest >= policy.BootstrapRuns {
		return l.bootstrap(points, random), "bootstrap"
	}
	return l.asymptotic(observations(points), p, lambda, random), "asymptotic"
}

func (l law) bootstrap(points []Point, random *rand.Rand) []guess {
	out := make([]guess, policy.BootstrapDraws)
	for i := range out {
		var obs []observation
		for _, pt := range points {
			for range pt.Samples {
				obs = append(obs, observation{float64(pt.Threads), pt.Samples[random.IntN(len(pt.Samples))]})
			}
		}
		out[i].p, out[i].lambda = l.solve(obs)
	}
	return out
}

// asymptotic draws from the multivariate t distribution with covariance s²(JᵀJ)⁻¹. It returns nil if there are too
// few observations to estimate s², or if J does not have full rank.
func (l law) asymptotic(obs []observation, p []float64, lambda float64, random *rand.Rand) []guess {
	k := len(p) + 1
	free := len(obs) - k
	if free < 1 {
		return nil
	}
	jacobian, gradient := mat.NewDense(len(obs), k, nil), make([]float64, len(p))
	for i, o := range obs {
		l.gradient(o.n, p, gradient)
		// the first column is the derivative with respect to ln λ; all columns are divided by λ, so that they have
		// similar magnitudes
		jacobian.Set(i, 0, l.capacity(o.n, p))
		for j, g := range gradient {
			jacobian.Set(i, j+1, g)
		}
	}
	_, residual := l.scale(obs, p)
	// the standard deviation of X/λ, because the columns are derivatives of X/λ, too
	deviation := math.Sqrt(residual/float64(free)) / lambda
	var normal mat.SymDense
	normal.SymOuterK(1, jacobian.T())
	var factor mat.Cholesky
	if !factor.Factorize(&normal) {
		return nil
	}
	var upper mat.TriDense // normal = UᵀU, so for standard normal z the vector U⁻¹z has the covariance normal⁻¹
	factor.UTo(&upper)
	t := distuv.ChiSquared{K: float64(free), Src: random}
	out := make([]guess, policy.ParameterDraws)
	z, step := mat.NewVecDense(k, nil), mat.NewVecDense(k, nil)
	for i := range out {
		width := deviation / math.Sqrt(t.Rand()/float64(free))
		for j := range k {
			z.SetVec(j, random.NormFloat64()*width)
		}
		if err := step.SolveVec(&upper, z); err != nil {
			return nil
		}
		out[i] = guess{make([]float64, len(p)), math.Max(0, lambda*(1+step.AtVec(0)))}
		for j := range p {
			out[i].p[j] = math.Max(0, p[j]+step.AtVec(j+1))
		}
	}
	return out
}

// interval returns the value with its 95% interval: the middle 95% of the results of `of` for the parameter sets ds,
// which were drawn at random around the fit. Without parameter sets the interval is unbounded.
func interval(value float64, ds []guess, of func(guess) float64) Estimate {
	if len(ds) == 0 {
		return Estimate{value, 0, math.Inf(1)}
	}
	all := make([]float64, len(ds))
	for i, d := range ds {
		all[i] = of(d)
	}
	slices.Sort(all)
	tail := int((1 - policy.SweepConfidence) / 2 * float64(len(all)+1))
	return Estimate{value, math.Min(value, all[tail]), math.Max(value, all[len(all)-1-tail])}
}
