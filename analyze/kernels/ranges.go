package kernels

import (
	"cmp"
	"errors"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"mtrace/analyze/policy"
)

// free returns the indexes of the costs that the observations determine only in combination with other costs.
func (s *solution) free() (places []int) {
	for i := range s.scale {
		for k := range s.first {
			if v := s.seen.At(i, k); v*v > 1e-8 {
				places = append(places, i)
				break
			}
		}
	}
	return places
}

// A polytope is the set of all non-negative costs that fit the observations equally well. If a cost is not
// identified, its smallest and largest value in the polytope are its bounds.
type polytope struct {
	free  []int      // indexes of the costs that are not identified
	a     *mat.Dense // the observations' equations a·x = b for the free costs x
	b     []float64
	costs []float64 // the fitted free costs: one solution of the equations
	fixed []float64 // costs by index; used for the costs that are not free
}

func (s *solution) polytope() *polytope {
	p := &polytope{free: s.free(), fixed: append([]float64{}, s.cost...)}
	n := len(p.free)
	if n == 0 {
		return nil
	}
	sub := mat.NewSymDense(n, nil)
	for _, e := range s.equations {
		for i, x := range p.free {
			for j := range i + 1 {
				sub.SetSym(i, j, sub.At(i, j)+e.xx.At(x, p.free[j]))
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(sub, true) {
		return nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	first := 0
	for first < n && values[first] <= policy.FitRank*values[n-1] {
		first++
	}
	if first == n {
		return nil
	}
	p.a = mat.NewDense(n-first, n, nil)
	for k := first; k < n; k++ {
		b := 0.0
		for i, x := range p.free {
			p.a.Set(k-first, i, vectors.At(i, k))
			b += vectors.At(i, k) * s.cost[x]
		}
		p.b = append(p.b, b)
	}
	for _, x := range p.free {
		p.costs = append(p.costs, s.cost[x])
		p.fixed[x] = 0
	}
	return p
}

// extreme returns the costs in the polytope (all costs that fit equally well) at which the uses g are cheapest (sign
// 1) or most expensive (sign -1). It returns nil if the linear program could not be solved.
func (p *polytope) extreme(g []float64, sign float64) []float64 {
	c := make([]float64, len(p.free))
	for i, x := range p.free {
		c[i] = sign * g[x]
	}
	x, solved := minimize(c, p.a, p.b, p.costs)
	if !solved {
		return nil
	}
	all := append([]float64{}, p.fixed...)
	for i, place := range p.free {
		all[place] = max(0, x[i])
	}
	return all
}

// minimize returns the x with the smallest c·x among the vectors with a·x = b and no negative element. It starts at
// `feasible`, which is such a vector. It scales b and c, because the solver's tolerance is absolute. `solved` is false
// if the solver did not find x in policy.FitSteps steps: rounding errors can make it repeat the same steps for ever.
func minimize(c []float64, a *mat.Dense, b, feasible []float64) (x []float64, solved bool) {
	right, left := max(floats.Max(b), -floats.Min(b)), max(floats.Max(c), -floats.Min(c))
	start := independentColumns(a, feasible)
	rows, columns := a.Dims()
	if right == 0 || left == 0 || len(start) < rows {
		return nil, false
	}
	scaled, costs := make([]float64, len(b)), make([]float64, len(c))
	floats.ScaleTo(scaled, 1/right, b)
	floats.ScaleTo(costs, 1/left, c)
	reads := 3*rows*columns + rows*policy.FitSteps
	defer func() {
		// The solver also panics with an error if rounding errors make the start infeasible. Other panics are bugs.
		switch e := recover().(type) {
		case nil:
		case runtime.Error:
			panic(e)
		case error:
			x, solved = nil, false
		default:
			panic(e)
		}
	}()
	_, x, err := lp.Simplex(costs, limitedMatrix{a, &reads}, scaled, 1e-9, start)
	if err != nil {
		return nil, false
	}
	floats.Scale(right, x)
	return x, true
}

// independentColumns returns as many independent columns of a as a has rows, and fewer if there are not as many. The
// columns with the largest weights come first.
func independentColumns(a *mat.Dense, weights []float64) (columns []int) {
	rows, n := a.Dims()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(weights[j], weights[i]) })
	var directions [][]float64 // orthogonal ones, of length 1
	for _, k := range order {
		if len(columns) == rows {
			break
		}
		v := mat.Col(nil, k, a)
		whole := floats.Norm(v, 2)
		for range 2 { // twice, because rounding errors leave a part
			for _, d := range directions {
				floats.AddScaled(v, -floats.Dot(v, d), d)
			}
		}
		if rest := floats.Norm(v, 2); rest > policy.FitIndependent*whole {
			floats.Scale(1/rest, v)
			directions, columns = append(directions, v), append(columns, k)
		}
	}
	return columns
}

// A limitedMatrix panics with errTooManySteps after a number of reads. The solver reads a column in each of its steps
// and has no limit of its own.
type limitedMatrix struct {
	mat.Matrix
	reads *int
}

var errTooManySteps = errors.New("too many steps of the simplex algorithm")

func (m limitedMatrix) At(i, j int) float64 {
	if *m.reads--; *m.reads < 0 {
		panic(errTooManySteps)
	}
	return m.Matrix.At(i, j)
}

// ranges returns bounds for uses whose cost is not identified: the smallest and the largest cost that fit the
// observations, each widened by its confidence interval. The estimate is the middle of the bounds. `found` is false
// for uses without bounds.
func (s *solution) ranges(uses [][]float64) (list []estimate, found []bool) {
	p := s.polytope()
	list, found = make([]estimate, len(uses)), make([]bool, len(uses))
	for k, g := range uses {
		if p == nil {
			continue
		}
		least, most := p.extreme(g, 1), p.extreme(g, -1)
		if least == nil || most == nil {
			continue
		}
		low, _ := s.boundsAt(g, least)
		_, high := s.boundsAt(g, most)
		list[k] = estimate{value: (floats.Dot(g, least) + floats.Dot(g, most)) / 2, low: max(0, low), high: high}
		found[k] = true
	}
	return list, found
}

// boundsAt returns bounds for the total cost of the uses g: how often each place (column of the equations) is used.
// Several costs fit the observations if the run does not identify them; `costs` are those with the smallest or the
// largest total. The bounds are this total, widened by its confidence interval and by the part that may be fixed cost
// of encoders.
func (s *solution) boundsAt(g, costs []float64) (low, high float64) {
	var places []int
	for i, c := range costs {
		if c > 0 {
			places = append(places, i)
		}
	}
	whole := floats.Dot(g, costs)
	l, solved := solvePassive(s.all, g, places)
	if !solved {
		return whole - 2*s.off*whole, whole + 2*s.off*whole
	}
	influence, chance := make([]float64, len(g)), 0.0
	for i, place := range places {
		influence[place] = l[i]
		chance += l[i] * g[place]
	}
	half := s.half(influence, chance) + policy.FitRounding*whole
	return s.widen(whole-half, whole+half, influence)
}
