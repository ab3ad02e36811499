package kernels

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// The GPU needs time to begin and end a command buffer and its encoders. This fixed cost is part of each measured
// time but belongs to no kernel. The trace does not contain it, so bounds of kernels' times allow for the largest
// fixed cost that the run does not rule out. The kernels' times themselves include it, so that they add up.

// fixed is the fit's column for the fixed cost. Each observation uses it once for each of its encoders. The fit does
// not solve for it: few runs separate it from the costs of kernels.
var fixed = column{unit: perEncoder}

// lengths counts measured times by their length per encoder, up to policy.MostFixedCost. The zero value is empty.
type lengths struct {
	short [policy.MostFixedCost / policy.FixedCostStep]int // by class
	all   int
}

func (l *lengths) count(took analyze.Nanos, encoders int) {
	l.all++
	if class := int(took) / encoders / policy.FixedCostStep; class < len(l.short) {
		l.short[class]++
	}
}

func (l *lengths) add(other *lengths) {
	l.all += other.all
	for i, n := range other.short {
		l.short[i] += n
	}
}

// fixedCost returns the largest fixed cost per encoder, in ns, that the run does not rule out. A measured time
// contains its fixed cost, so the median fixed cost is at most the median time.
func (l *lengths) fixedCost() float64 {
	seen := 0
	for i, n := range l.short {
		if seen += n; n > 0 && 2*seen >= l.all {
			return float64((i + 1) * policy.FixedCostStep)
		}
	}
	return policy.MostFixedCost
}

// encodersOf returns how many encoders the shares are from, at least 1. Shares of one encoder are neighbours.
func encodersOf(shares []Share) (n int) {
	for i := range shares {
		if i == 0 || shares[i].Encoder != shares[i-1].Encoder {
			n++
		}
	}
	return n
}

// allowance returns the largest fixed cost of a number of encoders that ran only one kernel. The first use of a kernel
// may cost more than mostFixed, because caches do not contain its code.
func allowance(encoders int, mostFixed float64) analyze.Nanos {
	if encoders == 0 {
		return 0
	}
	return policy.MostFixedCost + analyze.Nanos(mostFixed*float64(encoders-1))
}

// fittedFixed returns the upper bound of the fixed cost that the fit gives, which it does if encoders have different
// numbers of the same dispatches; otherwise infinity.
func (f *fit) fittedFixed(total *normal) float64 {
	s := f.solveFor(total, true)
	if s == nil {
		return math.Inf(1)
	}
	uses := make([]float64, len(f.columns))
	uses[f.index[fixed]] = 1
	g, _ := s.scaledUses(uses)
	s.withFixed = make([]float64, len(s.scale))
	if e := s.estimate(g); e.identified {
		return e.high
	}
	return math.Inf(1)
}

// allowFixed sets the largest fixed cost of an encoder for which bounds allow.
func (s *solution) allowFixed(f *fit, total *normal, most float64) {
	s.mostFixed, s.withFixed = most, make([]float64, len(s.scale))
	at := f.index[fixed]
	for i, place := range s.of {
		if place >= 0 {
			s.withFixed[place] += most * s.times[i] * total.xx[packed(at, i)] / s.scale[place]
		}
	}
}

// widen extends bounds by the part of a cost that may be fixed cost. influence tells how much each observation
// contributes to the cost. If the contributions of some are negative, the cost may be too low instead.
func (s *solution) widen(low, high float64, influence []float64) (lower, higher float64) {
	part := floats.Dot(influence, s.withFixed)
	return low - max(0, part), high + max(0, -part)
}
