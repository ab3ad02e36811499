package scaling

import (
	"errors"
	"fmt"
	"math"

	"mtrace/analyze/policy"
)

// TooFewError reports that too few different numbers of threads were measured to fit a law.
type TooFewError struct{ Distinct int }

func (e TooFewError) Error() string {
	return fmt.Sprintf("no fit: %d different numbers of threads were measured, but a fit needs at least %d", e.Distinct,
		policy.FewestFitPoints)
}

// An Estimate is a fitted value with its 95% confidence interval. High may be +Inf, which becomes null in JSON.
type Estimate struct{ Value, Low, High float64 }

// A Fit is a law of scaling whose parameters are fitted to the measured throughputs by least squares.
type Fit struct {
	Law     string   // "usl" or "amdahl"
	Lambda  Estimate // throughput of one thread, operations per second
	Sigma   Estimate // contention: the share of the work that is serial
	Kappa   Estimate // coherency; 0 under Amdahl's law
	Peak    Estimate // the number of threads with the most throughput; +Inf when there is none
	R2      float64  // share of the variance that the fit explains; NaN when throughput does not vary
	Off     float64  // root mean square deviation of the throughputs from the curve, as a share of their mean
	Method  string   // how the intervals were computed
	Points  int      // number of distinct numbers of threads
	Beyond  bool     // the peak lies beyond the measured threads: an extrapolation
	predict func(n float64) float64
}

// At returns the throughput that the law predicts for n threads, in operations per second.
func (f *Fit) At(n float64) float64 { return f.predict(n) }

// FitUSL fits the universal scalability law. It returns a TooFewError if fewer than four different numbers of threads
// were measured.
func FitUSL(points []Point) (*Fit, error) { return usl.fit(points) }

// FitAmdahl fits Amdahl's law, by which throughput never falls. It returns a TooFewError if fewer than four different
// numbers of threads were measured.
func FitAmdahl(points []Point) (*Fit, error) { return amdahl.fit(points) }

func (l law) fit(points []Point) (*Fit, error) {
	points, err := Clean(points)
	if err != nil {
		return nil, err
	}
	if len(points) < policy.FewestFitPoints {
		return nil, TooFewError{len(points)}
	}
	obs := observations(points)
	p, lambda := l.solve(obs)
	if !finite(lambda) || !finite(p...) {
		return nil, errors.New(
			"no fit: the measured throughputs differ by too many orders of magnitude; check the measurements")
	}
	f := &Fit{Law: l.name, R2: l.determination(obs, p), Points: len(points)}
	f.Off = l.residual(obs, p)
	f.predict = func(n float64) float64 { return lambda * l.capacity(n, p) }
	draws, method := l.uncertainty(points, p, lambda)
	f.Method = method
	at := func(value float64, of func(guess) float64) Estimate { return interval(value, draws, of) }
	f.Lambda = at(lambda, func(d guess) float64 { return d.lambda })
	f.Sigma = at(p[0], func(d guess) float64 { return d.p[0] })
	f.Peak = at(peak(p), func(d guess) float64 { return peak(d.p) })
	if len(p) > 1 {
		f.Kappa = at(p[1], func(d guess) float64 { return d.p[1] })
	}
	f.Beyond = f.Peak.Value > float64(points[len(points)-1].Threads)
	return f, nil
}

// peak returns the number of threads with the greatest throughput, at least 1: sqrt((1−σ)/κ), where the derivative of
// throughput is 0. It is infinite if κ is 0.
func peak(p []float64) float64 {
	if len(p) < 2 || p[1] == 0 {
		return math.Inf(1)
	}
	return math.Max(1, math.Sqrt(math.Max(0, 1-p[0])/p[1]))
}

// Unfit returns why the fitted law does not describe the throughputs; empty if it does.
func (f *Fit) Unfit() string {
	name := map[string]string{usl.name: "the USL", amdahl.name: "Amdahl's law"}[f.Law]
	switch {
	case f.Sigma.Value > policy.MostSerial:
		return fmt.Sprintf("%s does not describe this program: its serial share would be %.2f, which is more than 1",
			name, f.Sigma.Value)
	case f.R2 < policy.PoorFit && f.Off > policy.OffCurve:
		return fmt.Sprintf("%s does not describe this program: "+
			"the law explains only %.0f%% of the variance, and throughputs deviate from it by %.0f%%",
			name, 100*max(0, f.R2), 100*f.Off)
	}
	return ""
}

// residual returns how far the throughputs are from the law: the root mean square of the differences, as a share of
// the mean throughput.
func (l law) residual(obs []observation, p []float64) float64 {
	_, sum := l.scale(obs, p)
	mean := 0.0
	for _, o := range obs {
		mean += o.x / float64(len(obs))
	}
	return math.Sqrt(sum/float64(len(obs))) / mean
}

// determination returns R² = 1 − residual / total sum of squares: the share of the throughputs' variance that the law
// explains; NaN if they do not vary.
func (l law) determination(obs []observation, p []float64) float64 {
	_, residual := l.scale(obs, p)
	mean, total := 0.0, 0.0
	for _, o := range obs {
		mean += o.x / float64(len(obs))
	}
	for _, o := range obs {
		total += (o.x - mean) * (o.x - mean)
	}
	if total <= 1e-18*mean*mean*float64(len(obs)) {
		return math.NaN()
	}
	return 1 - residual/total
}

func observations(points []Point) []observation {
	var obs []observation
	for _, p := range points {
		for _, x := range p.Samples {
			obs = append(obs, observation{float64(p.Threads), x})
		}
	}
	return obs
}

func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
