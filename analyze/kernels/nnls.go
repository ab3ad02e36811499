package kernels

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// nnls returns the x ≥ 0 that minimizes xᵀAx - 2bᵀx: non-negative least squares on the normal equations, by the
// active set method of C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, chapter 23. The diagonal
// of A must be 1. Of linearly dependent columns, some stay 0.
func nnls(a *mat.SymDense, b []float64) []float64 {
	const tolerance = 1e-10
	n := len(b)
	x, passive, refused := make([]float64, n), []int(nil), make([]bool, n)
	largest := 0.0
	for _, v := range b {
		largest = max(largest, v)
	}
	for range 3 * n {
		best, gradient := -1, tolerance*largest
		for j := range n {
			if refused[j] || slices.Contains(passive, j) {
				continue
			}
			g := b[j]
			for _, k := range passive {
				g -= a.At(j, k) * x[k]
			}
			if g > gradient {
				best, gradient = j, g
			}
		}
		if best < 0 {
			break
		}
		passive = append(passive, best)
		z, solved := solvePassive(a, b, passive)
		if !solved || z[len(z)-1] <= 0 { // it is linearly dependent, or its gradient is a rounding error
			refused[best], passive = true, passive[:len(passive)-1]
			continue
		}
		clear(refused)
		for solved {
			step, leaves := 1.0, -1
			for i, j := range passive {
				if z[i] <= 0 && x[j]/(x[j]-z[i]) < step {
					step, leaves = x[j]/(x[j]-z[i]), j
				}
			}
			for i, j := range passive {
				x[j] = max(0, x[j]+step*(z[i]-x[j]))
			}
			if leaves < 0 {
				break
			}
			x[leaves] = 0
			passive = slices.DeleteFunc(passive, func(j int) bool { return x[j] == 0 })
			z, solved = solvePassive(a, b, passive)
		}
	}
	return x
}

// solvePassive solves the equations for the passive columns only (those that may be above 0). It returns false if
// these columns are linearly dependent.
func solvePassive(a *mat.SymDense, b []float64, passive []int) ([]float64, bool) {
	n := len(passive)
	sub, right := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, p := range passive {
		right.SetVec(i, b[p])
		for j := range i + 1 {
			sub.SetSym(i, j, a.At(p, passive[j]))
		}
	}
	var c mat.Cholesky
	if !c.Factorize(sub) || c.Cond() > 1e12 {
		return nil, false
	}
	z := mat.NewVecDense(n, nil)
	if c.SolveVecTo(z, right) != nil {
		return nil, false
	}
	return z.RawVector().Data, true
}
