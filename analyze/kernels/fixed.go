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

// fixed is the fit's unknown (column) for the fixed cost of one encoder. Each measured time counts it once per encoder.
// The kernels' costs are fitted without it, because in few runs it can be told apart from the costs of kernels.
var fixed = column{unit: perEncoder}

// lengths is a histogram of measured times divided by their number of encoders. Times from policy.MostFixedCost on
// are only counted in `all`. The zero value is empty.
type lengths struct {
	short [policy.MostFixedCost / policy.FixedCostStep]int // number of times per policy.FixedCostStep ns
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

// encodersOf returns the number of encoders to which the shares belong, at least 1 if there are shares. Shares of one
// encoder must be neighbours in the list.
func encodersOf(shares []Share) (n int) {
	for i := range shares {
		if i == 0 || shares[i].Encoder != shares[i-1].Encoder {
			n++
		}
	}
	return n
}

// allowance returns how much of the GPU time of encoders that ran only one kernel may be fixed cost. Each encoder
// counts with `mostFixed` nanoseconds, but the first with policy.MostFixedCost: the first use of a kernel may take
// longer, because caches do not contain its code yet.
func allowance(encoders int, mostFixed float64) analyze.Nanos {
	if encoders == 0 {
		return 0
	}
	return policy.MostFixedCost + analyze.Nanos(mostFixed*float64(encoders-1))
}

// fittedFixed returns the upper bound of the fixed cost per encoder, found by fitting it together with the kernels'
// costs. The fit can separate the two only if some encoders have more of the same dispatches than others. If it cannot,
// fittedFixed returns infinity.
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

// allowFixed sets `most`, in ns, as the largest fixed cost of an encoder. Bounds of the kernels' costs are later
// widened by it (widen), because a fixed cost may be mistaken for a kernel's.
func (s *solution) allowFixed(f *fit, total *normal, most float64) {
	s.mostFixed, s.withFixed = most, make([]float64, len(s.scale))
	at := f.index[fixed]
	for i, place := range s.of {
		if place >= 0 {
			s.withFixed[place] += most * s.times[i] * total.xx[packed(at, i)] / s.scale[place]
		}
	}
}

// widen extends the bounds of a kernel's cost by the part of the cost that may be fixed cost instead. `influence`
// says how much each observation contributes to the cost. Usually that part lowers the lower bound. If negative
// contributions prevail, it raises the upper bound.
func (s *solution) widen(low, high float64, influence []float64) (lower, higher float64) {
	part := floats.Dot(influence, s.withFixed)
	return low - max(0, part), high + max(0, -part)
}
