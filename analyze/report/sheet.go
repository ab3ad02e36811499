package report

import (
	"cmp"
	"io"
)

// A sheet is what the text is written on: how wide it is, how long its tables may be, and whether it has colours.
type sheet struct {
	io.Writer
	width int // columns that the text may take
	top   int // rows that tables have at most; 0 is as many as each has as a rule
	color bool
}

// The columns that a sheet may have. Tables of fewer lose too much of the names in them; lines of more are no longer
// read.
const (
	UsualWidth = 100
	LeastWidth = 60
	MostWidth  = 140
	AnyWidth   = 1 << 16 // nothing is broken or cut
)

// newSheet is a sheet as the options have it.
func newSheet(w io.Writer, opts Options) *sheet {
	s := &sheet{w, cmp.Or(opts.Width, UsualWidth), opts.Top, opts.Color}
	if s.width != AnyWidth {
		s.width = min(max(s.width, LeastWidth), MostWidth)
	}
	return s
}

// rows is how many rows a table may have that has so many as a rule; 0 is all.
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
