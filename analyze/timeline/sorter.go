package timeline

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// A sorter sorts the slices (named intervals) of one track. They arrive in the order in which they ended. Viewers
// need begins and ends in the order of time, with inner slices inside outer ones.
type sorter struct {
	write   func(list []pending, nested bool) (room []pending)
	pending []pending
	nested  bool // a pending slice is nested in another
}

// A pending is a slice (a named interval on a track) that is not written yet: a complete slice (made), or a call from
// which the slice will be built.
type pending struct {
	analyze.Interval
	made *slice
	call call
}

// sorter returns a sorter for a track to which complete slices (named intervals) are added, and no calls.
func (f *trackFile) sorter(on trackID) *sorter {
	return &sorter{write: func(list []pending, nested bool) []pending {
		f.write(on, nil, list, nested)
		return list[:0]
	}}
}

const (
	enough = 1 << 10 // number of slices that are written at once
	most   = 1 << 13 // slices that are kept for an enclosing call that may still arrive
)

func (s *sorter) add(next *slice) { s.next(next.Interval).made = next }

// next adds a slice (a named interval) to the track and returns it; the caller sets its other fields. Slices must be
// added in the order in which they end.
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

// flush writes the pending slices.
func (s *sorter) flush() {
	s.pending, s.nested = s.write(s.pending, s.nested), false
}

// write writes the slices (named intervals) of a track; `t` is the thread if they are calls. Calls of a thread never
// overlap partly. If other slices do, the later one is cut at its neighbour's end, because viewers would draw it
// wrongly.
func (f *trackFile) write(on trackID, t *analyze.Thread, list []pending, nested bool) {
	if nested {
		slices.Reverse(list) // of two slices with equal times, the outer one was added last
		slices.SortStableFunc(list, func(a, b pending) int {
			return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(b.End, a.End))
		})
	}
	if !nested {
		for i := range list {
			s := f.madeOf(&list[i], on, t)
			f.out.begin(s)
			f.out.end(on, s.End, s.flowEnd)
		}
		return
	}
	type ending struct {
		at   analyze.Nanos
		flow uint64
	}
	var few [16]ending
	open := few[:0] // the innermost slice is last
	closeUntil := func(at analyze.Nanos) {
		for n := len(open); n > 0 && open[n-1].at <= at; n = len(open) {
			f.out.end(on, open[n-1].at, open[n-1].flow)
			open = open[:n-1]
		}
	}
	for i := range list {
		next := &list[i]
		closeUntil(next.Begin)
		if n := len(open); n > 0 {
			next.End = min(next.End, open[n-1].at)
		}
		s := f.madeOf(next, on, t)
		f.out.begin(s)
		open = append(open, ending{s.End, s.flowEnd})
	}
	closeUntil(1<<63 - 1)
}

// madeOf returns the slice (the named interval on a track) of a pending one; for a call it builds the slice. The
// result is valid until the next call of madeOf.
func (f *trackFile) madeOf(next *pending, on trackID, t *analyze.Thread) *slice {
	if s := next.made; s != nil {
		s.Interval, s.track = next.Interval, on
		return s
	}
	s := &f.described // every field is set
	s.Interval, s.track = next.Interval, on
	s.args, s.flows, s.flowEnd = s.args[:0], s.flows[:0], 0
	f.describe(s, &next.call, t)
	return s
}
