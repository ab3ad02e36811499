package scaling

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

// A law is a model of throughput by number of threads: X(N) = λ·c(N; p), with parameters p that are not negative.
type law struct {
	name       string
	parameters []string
	capacity   func(n float64, p []float64) float64
	gradient   func(n float64, p, dst []float64) // stores in dst the derivatives of capacity with respect to p
}

// amdahl is Amdahl's law (AFIPS 1967) as throughput: X(N) = λN / (1 + σ(N−1)), where σ is the serial share of the
// work.
var amdahl = law{
	name:       "amdahl",
	parameters: []string{"sigma"},
	capacity:   func(n float64, p []float64) float64 { return n / (1 + p[0]*(n-1)) },
	gradient: func(n float64, p, dst []float64) {
		d := 1 + p[0]*(n-1)
		dst[0] = -n * (n - 1) / (d * d)
	},
}

// usl is Gunther's universal scalability law (Guerrilla Capacity Planning, 2007, ch. 4): X(N) = λN / (1 + σ(N−1) +
// κN(N−1)), where σ is contention and κ the cost of keeping shared data coherent.
var usl = law{
	name:       "usl",
	parameters: []string{"sigma", "kappa"},
	capacity:   func(n float64, p []float64) float64 { return n / (1 + p[0]*(n-1) + p[1]*n*(n-1)) },
	gradient: func(n float64, p, dst []float64) {
		d := 1 + p[0]*(n-1) + p[1]*n*(n-1)
		dst[0] = -n * (n - 1) / (d * d)
		dst[1] = -n * n * (n - 1) / (d * d)
	},
}

// observation is one measured throughput.
type observation struct{ n, x float64 }

// scale returns the λ that fits best for given parameters p, and the remaining sum of squares. The law is linear in
// λ, so no search is needed.
func (l law) scale(obs []observation, p []float64) (lambda, residual float64) {
	var xc, cc float64
	for _, o := range obs {
		c := l.capacity(o.n, p)
		xc += o.x * c
		cc += c * c
	}
	lambda = xc / cc
	for _, o := range obs {
		e := o.x - lambda*l.capacity(o.n, p)
		residual += e * e
	}
	return lambda, residual
}

// solve returns the non-negative parameters with the least sum of squares. It searches only p, because scale computes
// λ (separable least squares, Golub and Pereyra 1973). The search cannot reach a parameter that is exactly 0, so
// solve repeats it for each subset of parameters, with the others at 0.
func (l law) solve(obs []observation) (p []float64, lambda float64) {
	best := make([]float64, len(l.parameters)) // all zero: perfect scaling
	_, bestResidual := l.scale(obs, best)
	for free := 1; free < 1<<len(best); free++ { // each set of parameters that may differ from 0
		for _, start := range [...]float64{0.001, 0.05, 0.5} {
			candidate := l.search(obs, free, start)
			if _, r := l.scale(obs, candidate); r < bestResidual*(1-1e-12) {
				best, bestResidual = candidate, r
			}
		}
	}
	lambda, _ = l.scale(obs, best)
	return best, lambda
}

// search minimizes the sum of squares over the parameters in the bit set `free`; the other parameters are 0. It
// searches over logarithms, which keeps the parameters positive.
func (l law) search(obs []observation, free int, start float64) []float64 {
	var index []int
	for i := range l.parameters {
		if free>>i&1 == 1 {
			index = append(index, i)
		}
	}
	expand := func(logs []float64) []float64 {
		p := make([]float64, len(l.parameters))
		for i, at := range index {
			p[at] = math.Exp(logs[i])
		}
		return p
	}
	logs := make([]float64, len(index))
	for i, at := range index {
		logs[i] = math.Log(start) - 3*float64(at) // start κ below σ, as it usually is
	}
	problem := optimize.Problem{Func: func(logs []float64) float64 {
		for _, v := range logs {
			if v > 20 {
				return math.Inf(1)
			}
		}
		_, r := l.scale(obs, expand(logs))
		return r
	}}
	settings := &optimize.Settings{FuncEvaluations: 2000, Converger: &optimize.FunctionConverge{Relative: 1e-13,
		Iterations: 60}}
	result, err := optimize.Minimize(problem, logs, settings, &optimize.NelderMead{})
	if result == nil || err != nil && result.X == nil {
		return expand(logs)
	}
	return expand(result.X)
}
