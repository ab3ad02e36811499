package report

import (
	"cmp"
	"io"
)

// A sheet is the writer of a text report, with the limits that its lines and tables keep to.
type sheet struct {
	io.Writer
	width int // columns that the text may take
	top   int // maximum rows of tables; 0 means each table's default
	color bool
}

// Limits of the width of a text report in columns. Narrower tables cut too much of the names; longer lines are hard
// to read.
const (
	UsualWidth = 100
	LeastWidth = 60
	MostWidth  = 140
	AnyWidth   = 1 << 16 // lines are not broken, names not cut
)

// newSheet returns a sheet with the width, table length and colours of the options. The width is limited to
// LeastWidth and MostWidth, unless it is AnyWidth.
func newSheet(w io.Writer, opts Options) *sheet {
	s := &sheet{w, cmp.Or(opts.Width, UsualWidth), opts.Top, opts.Color}
	if s.width != AnyWidth {
		s.width = min(max(s.width, LeastWidth), MostWidth)
	}
	return s
}

// rows returns the maximum number of rows of a table: --top if it was given, else usual. 0 means no limit.
func (s *sheet) rows(usual int) int {
	switch {
	case s.top > 0:
		return s.top
	case s.width == AnyWidth:
		return 0
	}
	return usual
}

func (s *sheet) bold(t string) string { return s.ansi("1", t) }

func (s *sheet) dim(t string) string { return s.ansi("2", t) }

func (s *sheet) red(t string) string { return s.ansi("1;31", t) }

func (s *sheet) yellow(t string) string { return s.ansi("33", t) }

func (s *sheet) ansi(code, t string) string {
	if !s.color || t == "" {
		return t
	}
	return "\x1b[" + code + "m" + t + "\x1b[0m"
}
