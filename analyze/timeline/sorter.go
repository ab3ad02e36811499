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
	behind  *behind // nil: slices are written at once
	track   trackID
	pending []slice
	nested  bool // a pending slice is inside another
}

const (
	enough = 1 << 10 // slices that are worth writing
	most   = 1 << 13 // slices that are kept for a call around them that may still come
)

func (s *sorter) add(next *slice) { *s.next(next.Interval) = *next }

// next is the slice of the track that ended next, for its other values to be filled in: hundreds of bytes, which are not moved.
func (s *sorter) next(at analyze.Interval) *slice {
	n := len(s.pending)
	if n >= most || n >= enough && at.Begin >= s.pending[n-1].End {
		s.flush()
		n = 0
	}
	if n > 0 && at.Begin < s.pending[n-1].End {
		s.nested = true
	}
	if n == cap(s.pending) {
		s.pending = slices.Grow(s.pending, max(n, 64))
	}
	s.pending = s.pending[:n+1]
	s.pending[n] = slice{Interval: at, track: s.track}
	return &s.pending[n]
}

// flush writes what is pending.
func (s *sorter) flush() {
	if s.behind != nil {
		s.pending = s.behind.write(s.out, s.pending, s.nested)
	} else {
		writeSlices(s.out, s.pending, s.nested)
		s.pending = s.pending[:0]
	}
	s.nested = false
}

// writeSlices writes slices of a track. One that crosses its neighbour, as no call of a thread can, ends where that one does.
func writeSlices(out format, list []slice, nested bool) {
	if nested {
		slices.Reverse(list) // of two that are alike the outer one was given last
		slices.SortStableFunc(list, func(a, b slice) int {
			return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(b.End, a.End))
		})
	}
	var few [16]int
	open := few[:0] // the innermost last
	closeUntil := func(at analyze.Nanos) {
		for n := len(open); n > 0 && list[open[n-1]].End <= at; n = len(open) {
			out.end(&list[open[n-1]])
			open = open[:n-1]
		}
	}
	for i := range list {
		next := &list[i]
		closeUntil(next.Begin)
		if n := len(open); n > 0 {
			next.End = min(next.End, list[open[n-1]].End)
		}
		out.begin(next)
		open = append(open, i)
	}
	closeUntil(1<<63 - 1)
}
