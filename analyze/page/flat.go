package page

import (
	"slices"

	"mtrace/analyze"
)

// flat converts the nested calls of a thread into pieces that do not overlap. At each instant the piece belongs to the
// innermost call. A nested call divides the call around it into pieces. So the times of the pieces add up to the
// thread's time in the report. Calls must arrive in the order in which they ended.
type flat struct {
	pending []piece // sorted by begin, disjoint: a call around them may still arrive
	done    analyze.Nanos
}

// A piece is a call, or a part of a call that lies between calls nested in it.
type piece struct {
	block
	yields bool
	hidden bool // the call is a wait; Builder.waits adds its parts instead
}

// pendingPieces is the maximum number of pieces in flat.pending. Pieces wait there because a call that surrounds them
// may still arrive.
const pendingPieces = 1 << 12

// add adds the call that ended next. `absorbs` reports whether the time of nested calls counts as this call's time.
// If too many pieces are pending, the older half is passed to the function `to`; a later call that surrounds these
// pieces then loses the time up to the end of that half.
func (f *flat) add(p piece, absorbs bool, to func(block)) {
	if n := len(f.pending); n > 0 && f.pending[n-1].End > p.End {
		p.End = f.pending[n-1].End
	}
	p.Begin = max(p.Begin, f.done)
	first := len(f.pending)
	for first > 0 && f.pending[first-1].Begin >= p.Begin {
		first--
	}
	if first > 0 { // a call that ends later cannot contain these pieces
		p.Begin = max(p.Begin, f.pending[first-1].End)
	}
	if first == len(f.pending) { // the usual case: the call has no nested calls
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

// around inserts call p, inside which are the pending pieces from index `first` on. p gets the gaps between these
// pieces. If the call absorbs nested calls, p replaces the pieces.
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

// flush passes the first `count` pending pieces to the function `to`, except for hidden ones.
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
