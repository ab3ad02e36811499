package timeline

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// A sorter puts the slices of one track, which come by their ends, in the order of a viewer: begins and ends as they happened,
// each inner slice inside its outer one.
type sorter struct {
	out     format
	track   trackID
	pending []slice
	nested  bool // a pending slice is inside another
	open    []slice
}

const (
	enough = 1 << 10 // slices that are worth writing
	most   = 1 << 13 // slices that are kept for a call around them that may still come
)

func (s *sorter) add(next slice) {
	if n := len(s.pending); n >= most || n >= enough && next.Begin >= s.pending[n-1].End {
		s.flush()
	}
	if n := len(s.pending); n > 0 && next.Begin < s.pending[n-1].End {
		s.nested = true
	}
	s.pending = append(s.pending, next)
}

// flush writes what is pending. A slice that crosses its neighbour, as no call of a thread can, ends where that one does.
func (s *sorter) flush() {
	if s.nested {
		slices.Reverse(s.pending) // of two that are alike the outer one was given last
		slices.SortStableFunc(s.pending, func(a, b slice) int {
			return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(b.End, a.End))
		})
		s.nested = false
	}
	for i := range s.pending {
		next := &s.pending[i]
		s.closeUntil(next.Begin)
		if n := len(s.open); n > 0 {
			next.End = min(next.End, s.open[n-1].End)
		}
		s.out.begin(next)
		s.open = append(s.open, *next)
	}
	s.closeUntil(1<<63 - 1)
	s.pending = s.pending[:0]
}

// closeUntil ends the open slices that end at an instant or before.
func (s *sorter) closeUntil(at analyze.Nanos) {
	for n := len(s.open); n > 0 && s.open[n-1].End <= at; n = len(s.open) {
		s.out.end(&s.open[n-1])
		s.open = s.open[:n-1]
	}
}
