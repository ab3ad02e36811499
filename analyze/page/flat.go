package page

import (
	"slices"

	"mtrace/analyze"
)

// flat makes of the nested calls of a thread, which come by their ends, what it was doing at each instant: an inner
// call cuts the one around it into pieces. So the pieces of each part of a thread's time add up to what the report says
// of it.
type flat struct {
	pending []piece // by begin, disjoint: a call around them may still come
	done    analyze.Nanos
}

// A piece is a call, or what its inner calls leave of it.
type piece struct {
	block
	yields bool
	hidden bool // a wait, whose parts come from the model
}

// pendingPieces is how many pieces are kept for a call around them.
const pendingPieces = 1 << 12

// add adds the call that ended next, which absorbs its inner calls or not, and passes on what no call can be around
// any more.
func (f *flat) add(p piece, absorbs bool, to func(block)) {
	if n := len(f.pending); n > 0 && f.pending[n-1].End > p.End {
		p.End = f.pending[n-1].End
	}
	p.Begin = max(p.Begin, f.done)
	first := len(f.pending)
	for first > 0 && f.pending[first-1].Begin >= p.Begin {
		first--
	}
	if first > 0 { // neither around its neighbour nor after it
		p.Begin = max(p.Begin, f.pending[first-1].End)
	}
	if first == len(f.pending) { // as most are: it is around nothing
		if p.End > p.Begin {
			f.pending = append(f.pending, p)
		}
	} else {
		f.around(p, first, absorbs)
	}
	if len(f.pending) > pendingPieces {
		f.flush(len(f.pending)/2, to)
	}
}

// around puts a call around the pieces from the first on.
func (f *flat) around(p piece, first int, absorbs bool) {
	inner := slices.Clone(f.pending[first:])
	f.pending = f.pending[:first]
	at := p.Begin
	cut := func(end analyze.Nanos) {
		if end > at {
			q := p
			q.Begin, q.End = at, end
			f.pending = append(f.pending, q)
		}
	}
	for _, in := range inner {
		if absorbs || in.yields {
			continue
		}
		cut(in.Begin)
		f.pending = append(f.pending, in)
		at = in.End
	}
	cut(p.End)
}

// flush passes on the first pieces.
func (f *flat) flush(count int, to func(block)) {
	for _, p := range f.pending[:count] {
		if !p.hidden {
			to(p.block)
		}
		f.done = p.End
	}
	f.pending = append(f.pending[:0], f.pending[count:]...)
}

func (f *flat) finish(to func(block)) { f.flush(len(f.pending), to) }
