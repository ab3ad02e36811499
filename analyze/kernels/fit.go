package kernels

import (
	"math"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A fit collects the data to fit each kernel's cost to all measured times of a run: time = sum of count × cost. It
// keeps only the normal equations, so its memory does not grow with the run. The variance of a time is proportional
// to its length, so an observation's weight is 1/expected time. The expected time is the mean of earlier observations
// with the same uses. It excludes the observation's own time: otherwise observations that are short by chance would
// weigh more.
type fit struct {
	columns []column
	index   map[column]int
	blocks  []*normal // consecutive observations
	length  int       // number of observations in a full block
	folds   [policy.FitFolds]normal
	seen    uint64 // observations
	bits    int    // number of significant bits to which the sizes of dispatches are rounded; see column.coarse

	renumbers func(renumbering) // called when columns get other numbers

	alike map[uint64]usual // times of earlier observations of the same uses

	counts []float64 // counts of the current observation, by column
	listed []int     // the columns of the current observation
}

// A normal has the normal equations of a set of observations: xx is XᵀWX, xy is XᵀWy, yy is yᵀWy.
type normal struct {
	n  int
	xx []float64 // lower triangle, by rows
	xy []float64
	yy float64
}

// A usual has the mean time of the observations with the same uses.
type usual struct {
	n    int
	mean float64
}

func newFit() *fit {
	f := &fit{index: map[column]int{}, length: 1, bits: policy.FitSizeBits, alike: map[uint64]usual{}}
	f.number(fixed) // first, so that there is always room for it
	return f
}

// weight returns the weight of the current observation, 1/expected time. It also adds the observation's time to the
// mean of observations with the same uses.
func (f *fit) weight(took float64) float64 {
	hash := uint64(0)
	for _, i := range f.listed {
		h := (uint64(i) + 1) * 0x9e3779b97f4a7c15
		h = (h ^ math.Float64bits(f.counts[i])) * 0xbf58476d1ce4e5b9
		hash += h ^ h>>31 // independent of the order
	}
	before, known := f.alike[hash]
	if !known && len(f.alike) >= policy.FitDistinctBuffers {
		return 1 / took
	}
	f.alike[hash] = usual{before.n + 1, before.mean + (took-before.mean)/float64(before.n+1)}
	if !known {
		return 1 / took
	}
	return 1 / before.mean
}

// number returns the number of the column that counts uses of c, and how many uses of that column one use of c stands
// for. It adds the column if necessary. If there are too many columns, dispatches of similar sizes share a column. If
// that is not enough, all sizes of a kernel share a column with a cost per thread. The number is -1 if even then no
// column is free.
func (f *fit) number(c column) (number int, times float64) {
	for {
		coarse, times := c.coarse(f.bits)
		if i, known := f.index[coarse]; known {
			return i, times
		}
		switch {
		case len(f.columns) < policy.FitColumns:
			f.index[coarse] = len(f.columns)
			f.columns = append(f.columns, coarse)
			return len(f.columns) - 1, times
		case f.bits == 0:
			return -1, 0
		}
		f.coarsen()
	}
}

// find returns the number of the column that counts uses of c, and how many uses of that column one use of c stands
// for. Unlike the method number, find adds no column: without one, it returns -1.
func (f *fit) find(c column) (number int, times float64) {
	coarse, times := c.coarse(f.bits)
	if i, known := f.index[coarse]; known {
		return i, times
	}
	return -1, 0
}

// coarsen makes room for more columns when the fit has policy.FitColumns: it merges the columns of dispatches with
// similar numbers of threads and adds up their data. The costs become less exact.
func (f *fit) coarsen() {
	if f.bits--; f.bits > 1 {
		f.bits = 1
	}
	old := f.columns
	f.columns, f.index = nil, map[column]int{}
	f.number(fixed)
	to := f.renumber(old)
	for _, b := range f.blocks {
		*b = b.renumbered(&to)
	}
	for i := range f.folds {
		f.folds[i] = f.folds[i].renumbered(&to)
	}
	counts, listed := f.counts, f.listed
	f.counts, f.listed = nil, nil
	for _, i := range listed {
		f.use(to.number[i], counts[i]*to.times[i])
	}
	clear(f.alike)
	if f.renumbers != nil {
		f.renumbers(to)
	}
}

// renumber returns the new number of each column, and how many uses of the new column one use of the old column
// stands for.
func (f *fit) renumber(columns []column) renumbering {
	to := renumbering{make([]int, len(columns)), make([]float64, len(columns))}
	for bits := -1; bits != f.bits; { // begin again if the number of columns grew too large in between
		bits = f.bits
		for i, c := range columns {
			to.number[i], to.times[i] = f.number(c)
		}
	}
	return to
}

// use adds uses of a column to the current observation, which the next call of observe completes.
func (f *fit) use(column int, count float64) {
	for len(f.counts) < len(f.columns) {
		f.counts = append(f.counts, 0)
	}
	if f.counts[column] == 0 {
		f.listed = append(f.listed, column)
	}
	f.counts[column] += count
}

// observe ends the current observation: it covers the given number of encoders, and its measured time is `took`. If
// `fits` is false, the observation is discarded.
func (f *fit) observe(took analyze.Nanos, encoders int, fits bool) {
	if fits && took > 0 && len(f.listed) > 0 {
		f.use(f.index[fixed], float64(encoders))
		if len(f.blocks) == 0 || f.blocks[len(f.blocks)-1].n >= f.length {
			f.shorten()
			f.blocks = append(f.blocks, &normal{})
		}
		weight := f.weight(float64(took))
		f.blocks[len(f.blocks)-1].observe(f.listed, f.counts, float64(took), weight)
		f.folds[f.seen*0x9e3779b97f4a7c15>>32%policy.FitFolds].observe(f.listed, f.counts, float64(took), weight)
		f.seen++
	}
	for _, i := range f.listed {
		f.counts[i] = 0
	}
	f.listed = f.listed[:0]
}

// shorten merges pairs of neighbouring blocks while there are at least twice as many blocks as the fit needs. This
// bounds the memory.
func (f *fit) shorten() {
	for len(f.blocks) >= 2*policy.FitBlocks {
		half := f.blocks[:0]
		for i := 0; i < len(f.blocks); i += 2 {
			b := f.blocks[i]
			if i+1 < len(f.blocks) {
				b.add(f.blocks[i+1], nil)
			}
			half = append(half, b)
		}
		f.blocks = half
		f.length *= 2
	}
}

// A renumbering translates column numbers of one fit into those of another. Both lists are indexed by the old number.
type renumbering struct {
	number []int     // the new number
	times  []float64 // how many uses of the new column one use of the old column counts as
}

// add adds the observations of part, the fit of the next range of the run. It returns the numbers that the columns of
// part have in f.
func (f *fit) add(part *fit) renumbering {
	for f.bits > part.bits {
		f.coarsen()
	}
	to := f.renumber(part.columns)
	for _, b := range part.blocks {
		moved := b.renumbered(&to)
		f.blocks = append(f.blocks, &moved)
	}
	f.length = max(f.length, part.length)
	f.shorten()
	for i := range f.folds {
		f.folds[i].add(&part.folds[i], &to)
	}
	f.seen += part.seen
	return to
}

// packed returns the index of element (i, j) of a symmetric matrix whose lower triangle alone is stored, by rows.
func packed(i, j int) int {
	if i < j {
		i, j = j, i
	}
	return i*(i+1)/2 + j
}

// grow extends the matrices for the given number of columns.
func (m *normal) grow(columns int) {
	if n := columns * (columns + 1) / 2; n > len(m.xx) {
		m.xx = append(m.xx, make([]float64, n-len(m.xx))...)
		m.xy = append(m.xy, make([]float64, columns-len(m.xy))...)
	}
}

// observe adds an observation. `listed` has the columns that occur in it, and `counts` how often each column occurs.
func (m *normal) observe(listed []int, counts []float64, took, weight float64) {
	for _, i := range listed {
		m.grow(i + 1)
	}
	for at, i := range listed {
		for _, j := range listed[:at+1] {
			m.xx[packed(i, j)] += weight * counts[i] * counts[j]
		}
		m.xy[i] += weight * took * counts[i]
	}
	m.yy += weight * took * took
	m.n++
}

// renumbered returns the same normal equations for other column numbers.
func (m *normal) renumbered(to *renumbering) (moved normal) {
	moved.add(m, to)
	return moved
}

// add adds the observations of another normal. `to` translates the column numbers of the other normal; nil means that
// they are the same. Columns without a number are left out.
func (m *normal) add(other *normal, to *renumbering) {
	column := func(i int) (int, float64) {
		if to == nil {
			return i, 1
		}
		return to.number[i], to.times[i]
	}
	for i := range other.xy {
		a, x := column(i)
		if a < 0 {
			continue
		}
		m.grow(a + 1)
		m.xy[a] += x * other.xy[i]
		for j := range i + 1 {
			b, y := column(j)
			v := x * y * other.xx[packed(i, j)]
			if b < 0 || v == 0 {
				continue
			}
			if i != j && a == b {
				v *= 2 // both halves of the matrix are in one element now
			}
			m.grow(b + 1)
			m.xx[packed(a, b)] += v
		}
	}
	m.yy += other.yy
	m.n += other.n
}
