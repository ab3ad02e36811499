package kernels

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"mtrace/analyze/policy"
)

// A solution has the costs that result from a fit. The equations have one unknown for each place: a place is a column
// of the fit, or several merged columns with similar sizes.
type solution struct {
	of     []int      // the place of each column of the fit; -1 if no observation had it
	times  []float64  // for each column, how many uses of its place one use counts as
	scale  []float64  // by place: uses are divided by it, so that the diagonal of the normal equations is 1
	cost   []float64  // the cost of each place, multiplied by its scale
	values []float64  // eigenvalues of the normal equations
	seen   *mat.Dense // the eigenvectors of the normal equations, as columns
	first  int        // index of the first eigenvalue that is not 0

	all       *mat.SymDense // the normal equations, scaled
	equations []scaled      // the normal equations of each fold
	scores    [][]float64   // for each block of observations, how much it deviates from the fitted costs
	noise     float64       // variance of a weighted residual
	off       float64       // usual residual of an observation, as a share of its time
	freedom   int           // number of observations minus number of costs
	mostFixed float64       // the largest fixed cost of an encoder, in ns
	withFixed []float64     // right-hand side of the normal equations for times that are only the largest fixed cost
}

// scaled is the matrix of normal equations of one fold (a random part of the observations), divided by the places'
// scales.
type scaled struct{ xx *mat.SymDense }

// solve solves the normal equations for the costs. Bounds allow for a fixed cost of each encoder of at most mostFixed
// ns. solve returns nil if there are no observations.
func (f *fit) solve(mostFixed float64) *solution {
	var total normal
	for i := range f.folds {
		total.add(&f.folds[i], nil)
	}
	if total.n == 0 {
		return nil
	}
	s := f.solveFor(&total, false)
	if s != nil {
		s.allowFixed(f, &total, min(mostFixed, f.fittedFixed(&total)))
	}
	return s
}

// solveFor solves the normal equations total for the costs of kernels and, if withFixed, for the fixed cost.
func (f *fit) solveFor(total *normal, withFixed bool) *solution {
	s := &solution{}
	places := s.place(f, total, withFixed)
	a, b := s.dense(total, places)
	s.scale = make([]float64, places)
	for i := range s.scale {
		s.scale[i] = math.Sqrt(a.At(i, i))
	}
	s.rescale(a, b)
	s.all, s.cost = a, nnls(a, b)
	var eigen mat.EigenSym
	if !eigen.Factorize(a, true) {
		return nil
	}
	s.values, s.seen = eigen.Values(nil), &mat.Dense{}
	eigen.VectorsTo(s.seen)
	for s.first < places && s.values[s.first] <= policy.FitRank*s.values[places-1] {
		s.first++
	}
	s.residuals(f, total, a, b)
	return s
}

// place assigns a place to each column that has observations, and returns the number of places. If there would be too
// many places, columns with similar sizes share one.
func (s *solution) place(f *fit, total *normal, withFixed bool) (places int) {
	for bits := policy.FitSizeBits; bits >= 0; bits-- {
		at, into := map[column]int{}, make([]column, len(f.columns))
		s.of, s.times = make([]int, len(f.columns)), make([]float64, len(f.columns))
		for i, c := range f.columns {
			if s.of[i] = -1; c == fixed && !withFixed || i >= len(total.xy) || total.xx[packed(i, i)] == 0 {
				continue
			}
			c, s.times[i] = c.coarse(bits)
			at[c], into[i] = 0, c
		}
		// sort the columns, so that the result does not depend on the order in which they occurred
		for place, c := range slices.SortedFunc(maps.Keys(at), compareColumns) {
			at[c] = place
		}
		for i := range s.of {
			if s.times[i] > 0 {
				s.of[i] = at[into[i]]
			}
		}
		if places = len(at); places <= policy.FitSolved {
			break
		}
	}
	return places
}

// dense returns the normal equations with one row per place: the matrix and the right-hand side.
func (s *solution) dense(m *normal, places int) (*mat.SymDense, []float64) {
	a, b := mat.NewSymDense(places, nil), make([]float64, places)
	for i := range m.xy {
		p := s.of[i]
		if p < 0 {
			continue
		}
		b[p] += s.times[i] * m.xy[i]
		for j := range i + 1 {
			q := s.of[j]
			if v := m.xx[packed(i, j)]; v != 0 && q >= 0 {
				if v *= s.times[i] * s.times[j]; i != j && p == q {
					v *= 2
				}
				a.SetSym(p, q, a.At(p, q)+v)
			}
		}
	}
	return a, b
}

func (s *solution) rescale(a *mat.SymDense, b []float64) {
	for i := range b {
		b[i] /= s.scale[i]
		for j := range i + 1 {
			a.SetSym(i, j, a.At(i, j)/(s.scale[i]*s.scale[j]))
		}
	}
}

// residuals computes how much the observations deviate from the fitted costs, in total and for each block.
func (s *solution) residuals(f *fit, total *normal, a *mat.SymDense, b []float64) {
	n := len(b)
	x := mat.NewVecDense(n, s.cost)
	sum := max(0, total.yy-2*floats.Dot(s.cost, b)+mat.Inner(x, a, x))
	s.freedom = total.n - (n - s.first)
	s.noise = sum / float64(max(1, s.freedom))
	s.off = math.Sqrt(sum / total.yy)
	for _, block := range f.blocks {
		a, b := s.dense(block, n)
		s.rescale(a, b)
		var fitted mat.VecDense
		fitted.MulVec(a, x)
		floats.Sub(b, fitted.RawVector().Data)
		s.scores = append(s.scores, b)
	}
	for i := range f.folds {
		a, b := s.dense(&f.folds[i], n)
		s.rescale(a, b)
		s.equations = append(s.equations, scaled{a})
	}
}

// scaledUses adds up the uses by place, and divides each sum by the place's scale. `all` is false if a used column
// has no observations.
func (s *solution) scaledUses(uses []float64) (g []float64, all bool) {
	g, all = make([]float64, len(s.scale)), true
	for i, n := range uses {
		switch {
		case n == 0:
		case i >= len(s.of) || s.of[i] < 0:
			all = false
		default:
			g[s.of[i]] += n * s.times[i] / s.scale[s.of[i]]
		}
	}
	return g, all
}

// An estimate is the estimated cost of some uses together, with bounds.
type estimate struct {
	value, low, high float64
	identified       bool // a single value fits; otherwise only low and high are valid
	nothing          bool // there are no uses to estimate
}

// estimate estimates the cost of the uses g, which scaledUses returned. The estimate is identified only if the
// observations determine it.
func (s *solution) estimate(g []float64) estimate {
	e := estimate{value: floats.Dot(g, s.cost)}
	n := len(g)
	solved, seen := make([]float64, n), 0.0
	for k := s.first; k < n; k++ {
		along := 0.0
		for i := range n {
			along += s.seen.At(i, k) * g[i]
		}
		seen += along * along
		for i := range n {
			solved[i] += s.seen.At(i, k) * along / s.values[k]
		}
	}
	all := floats.Dot(g, g)
	e.identified = s.freedom >= policy.FitFreedom && all > 0 && seen >= (1-1e-6)*all && s.spread(solved)
	if !e.identified {
		return e
	}
	half := s.half(solved, floats.Dot(g, solved)) + policy.FitRounding*e.value
	e.low, e.high = s.widen(e.value-half, e.value+half, solved)
	e.low = max(0, e.low)
	return e
}

// half returns half of the width of a cost's confidence interval. `solved` has each observation's contribution to the
// cost, and `chance` is the resulting variance factor. Observations may vary independently, or only blocks of them
// may, because costs drift. half computes both and returns the larger result.
func (s *solution) half(solved []float64, chance float64) float64 {
	scored, blocks := 0.0, float64(len(s.scores))
	for _, score := range s.scores {
		along := floats.Dot(solved, score)
		scored += along * along
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: max(1, min(blocks-1, float64(s.freedom)))}
	return t.Quantile(policy.FitConfidence) * math.Sqrt(max(0, s.noise*chance, scored*blocks/max(1, blocks-1)))
}

// spread reports whether many observations contribute to a cost. The observations are divided at random into
// policy.FitFolds folds. If a single fold determines more than policy.FitFoldShare of the cost, a few unusual times may
// decide it, so the cost is not reliable.
func (s *solution) spread(solved []float64) bool {
	x := mat.NewVecDense(len(solved), solved)
	all, most := 0.0, 0.0
	for _, e := range s.equations {
		part := mat.Inner(x, e.xx, x)
		all, most = all+part, max(most, part)
	}
	return most <= policy.FitFoldShare*all
}
