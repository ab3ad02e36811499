package timeline

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// A sorter puts the slices of one track, which come by their ends, in the order of a viewer: begins and ends as they
// happened, each inner slice inside its outer one.
type sorter struct {
	write   func(list []pending, nested bool) (room []pending)
	pending []pending
	nested  bool // a pending slice is inside another
}

// A pending is a slice that is not written yet: one that is made, or a call of which one will be.
type pending struct {
	analyze.Interval
	made *slice
	call call
}

// sorter is one for slices of a track that are made.
func (w *Writer) sorter(on trackID) *sorter {
	return &sorter{write: func(list []pending, nested bool) []pending {
		w.write(on, nil, list, nested)
		return list[:0]
	}}
}

const (
	enough = 1 << 10 // slices that are worth writing
	most   = 1 << 13 // slices that are kept for a call around them that may still come
)

func (s *sorter) add(next *slice) { s.next(next.Interval).made = next }

// next is what the track ended next, for its other values to be filled in.
func (s *sorter) next(at analyze.Interval) *pending {
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
	s.pending[n] = pending{Interval: at}
	return &s.pending[n]
}

// flush writes what is pending.
func (s *sorter) flush() {
	s.pending, s.nested = s.write(s.pending, s.nested), false
}

// write writes slices of a track, which is a thread's where they are calls. One that crosses its neighbour, as no call
// of a thread can, ends where that one does.
func (w *Writer) write(on trackID, t *analyze.Thread, list []pending, nested bool) {
	if nested {
		slices.Reverse(list) // of two that are alike the outer one was given last
		slices.SortStableFunc(list, func(a, b pending) int {
			return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(b.End, a.End))
		})
	}
	if !nested {
		for i := range list {
			s := w.madeOf(&list[i], on, t)
			w.out.begin(s)
			w.out.end(on, s.End, s.flowEnd)
		}
		return
	}
	type ending struct {
		at   analyze.Nanos
		flow uint64
	}
	var few [16]ending
	open := few[:0] // the innermost last
	closeUntil := func(at analyze.Nanos) {
		for n := len(open); n > 0 && open[n-1].at <= at; n = len(open) {
			w.out.end(on, open[n-1].at, open[n-1].flow)
			open = open[:n-1]
		}
	}
	for i := range list {
		next := &list[i]
		closeUntil(next.Begin)
		if n := len(open); n > 0 {
			next.End = min(next.End, open[n-1].at)
		}
		s := w.madeOf(next, on, t)
		w.out.begin(s)
		open = append(open, ending{s.End, s.flowEnd})
	}
	closeUntil(1<<63 - 1)
}

// madeOf is the slice on a track of what is pending, until the next is built from a call.
func (w *Writer) madeOf(next *pending, on trackID, t *analyze.Thread) *slice {
	if s := next.made; s != nil {
		s.Interval, s.track = next.Interval, on
		return s
	}
	s := &w.described // all of it is set, field by field
	s.Interval, s.track = next.Interval, on
	s.args, s.flows, s.flowEnd = s.args[:0], s.flows[:0], 0
	w.describe(s, &next.call, t)
	return s
}
