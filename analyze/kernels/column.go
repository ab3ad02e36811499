package kernels

import (
	"cmp"
	"math/bits"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A row is one line of the table of kernels: a kernel, or the work of encoders without kernels (copies, rendering).
type row struct{ name, variant string }

// String returns the row's name in tables, with the variant if there is one.
func (r row) String() string {
	if r.variant == "" {
		return r.name
	}
	return r.name + " [" + r.variant + "]"
}

// A column is one unknown of the fit, which estimates costs from measured times: the cost of one dispatch of a kernel
// with a certain number of threads, of one copied block, and so on.
type column struct {
	row
	size uint64 // threads of a dispatch, to policy.FitSizeBits significant bits; 0 if not known, or for all sizes
	unit unit
}

func compareColumns(a, b column) int {
	return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.variant, b.variant),
		cmp.Compare(a.unit, b.unit), cmp.Compare(a.size, b.size))
}

// A unit tells what a column's cost is for: one dispatch, one thread, one copied block, and so on.
type unit uint8

const (
	perDispatch unit = iota
	perCopy
	perBlock // per policy.CopyBlock bytes that are copied or filled
	perPass  // for each render encoder
	perThread
	perEncoder // for each encoder that a measured time covers; see fixed
)

// coarse returns the column that c becomes if sizes are rounded to `bits` significant bits, so that dispatches of
// similar sizes share a column. One use of c counts as `times` uses of that column.
func (c column) coarse(bits int) (of column, times float64) {
	of = c
	switch {
	case c.size == 0 || bits >= policy.FitSizeBits:
		return c, 1
	case bits == 0:
		of.size, of.unit = 0, perThread
		return of, float64(c.size)
	}
	of.size = sizeClass(c.size, bits)
	return of, float64(c.size) / float64(of.size)
}

// A use is how often a column (one cost of the fit) occurs in a measured time.
type use struct {
	column column
	count  float64
}

// uses calls add for each column (one cost of the fit) that occurs in the share, with the number of times that it
// occurs. An encoder without recorded work, and a failed command buffer, have no columns.
func (s *Share) uses(add func(use)) {
	switch s.Kernel {
	case Nothing, Failed:
	case Copies:
		add(use{column{row: s.row(), unit: perCopy}, float64(max(1, s.Encoder.Copies))})
		if s.Encoder.CopyBytes > 0 {
			add(use{column{row: s.row(), unit: perBlock}, float64(s.Encoder.CopyBytes) / policy.CopyBlock})
		}
	case Render:
		add(use{column{row: s.row(), unit: perPass}, 1})
	default:
		c := column{row: s.row()}
		if s.Threads > 0 && s.Dispatches > 0 && !s.Unsized {
			c.size = sizeClass(s.Threads/uint64(s.Dispatches), policy.FitSizeBits)
		}
		add(use{c, float64(max(1, s.Dispatches))})
	}
}

// sizeClass rounds a number of threads to the given number of significant bits, so that similar sizes share a column.
func sizeClass(threads uint64, significant int) uint64 {
	if low := bits.Len64(threads) - significant; low > 0 {
		return (threads + 1<<(low-1)) >> low << low
	}
	return threads
}

// works reports whether a share takes GPU time. An encoder without recorded work is assumed to take none.
func (s *Share) works() bool { return s.Kernel != Nothing }

func (s *Share) row() row { return row{s.Kernel, s.Variant} }

// variantOf returns the text that distinguishes kernels of the same name; "" if the pipeline is not known.
func variantOf(p *analyze.Pipeline) string {
	if p == nil {
		return ""
	}
	return p.Variant
}
