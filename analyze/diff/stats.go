package diff

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"mtrace/analyze/statistics"
)

// A comparison is the result of a statistical test of two samples, A and B.
type comparison struct {
	ratio, low, high float64 // of B to A, with its 95% confidence interval
	p                float64
}

// ranks compares two samples of positive values without assuming a distribution. It uses the Mann–Whitney U test with
// corrections for ties and continuity. The ratio is the Hodges–Lehmann estimate with the interval of that test
// (Lehmann, Nonparametrics, 1975, §1.5 and §2.5). Both work on logarithms, because times differ by factors. If values
// are still correlated with their neighbours in time, p and interval are widened: with a lag-1 autocorrelation ρ, the
// variance of a mean grows by (1+ρ)/(1−ρ).
func ranks(a, b []float64) comparison {
	la, lb := logs(a), logs(b)
	n, m := float64(len(la)), float64(len(lb))
	shifts := make([]float64, 0, len(la)*len(lb))
	for _, x := range la {
		for _, y := range lb {
			shifts = append(shifts, y-x)
		}
	}
	slices.Sort(shifts)
	u := 0.0
	for _, s := range shifts {
		switch {
		case s > 0:
			u++
		case s == 0:
			u += 0.5
		}
	}
	all := slices.Concat(la, lb)
	slices.Sort(all)
	ties := 0.0
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j] == all[i] {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	rho := math.Min(0.9, math.Max(0, (n*autocorrelation(a)+m*autocorrelation(b))/(n+m)))
	wider := math.Sqrt((1 + rho) / (1 - rho))
	sigma := wider * math.Sqrt(n*m/12*(n+m+1-ties/((n+m)*(n+m-1))))
	c := comparison{p: 1}
	if sigma > 0 {
		z := math.Max(0, math.Abs(u-n*m/2)-0.5) / sigma
		c.p = math.Min(1, 2*distuv.UnitNormal.Survival(z))
	}
	k := int(math.Floor(n*m/2 - 1.96*wider*math.Sqrt(n*m*(n+m+1)/12)))
	k = max(0, min(k, len(shifts)-1))
	c.ratio, c.low, c.high = math.Exp(statistics.Median(shifts)), math.Exp(shifts[k]), math.Exp(shifts[len(shifts)-1-k])
	return c
}

// means compares repeated runs of A and B by Welch's t test on logarithms. If one side has a single run, the other
// side's variance is used for both sides. Both sides together must have at least three runs.
func means(a, b []float64) comparison {
	la, lb := logs(a), logs(b)
	ma, va := moments(la)
	mb, vb := moments(lb)
	n, m := float64(len(la)), float64(len(lb))
	var se, free float64
	if len(la) == 1 || len(lb) == 1 {
		free = n + m - 2
		se = math.Sqrt((va*(n-1) + vb*(m-1)) / free * (1/n + 1/m))
	} else {
		ea, eb := va/n, vb/m
		se = math.Sqrt(ea + eb)
		free = (ea + eb) * (ea + eb) / (ea*ea/(n-1) + eb*eb/(m-1))
	}
	shift := mb - ma
	c := comparison{ratio: math.Exp(shift), p: 1}
	if !(se > 0) { // runs that are exactly equal
		c.low, c.high = c.ratio, c.ratio
		if shift != 0 {
			c.p = 0
		}
		return c
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}
	c.p = 2 * t.Survival(math.Abs(shift)/se)
	width := t.Quantile(0.975) * se
	c.low, c.high = math.Exp(shift-width), math.Exp(shift+width)
	return c
}

func logs(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Log(math.Max(v, 1e-3)) // a picosecond for a time that the clock measured as 0
	}
	return out
}

func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	if len(x) > 1 {
		variance /= float64(len(x) - 1)
	}
	return mean, variance
}
