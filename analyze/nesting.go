package analyze

import "slices"

// A nesting turns the calls of one thread, given in the order of their ends, into exclusive times. Calls of different
// families nest: an inner call ends, and is given, before the call around it. Every nanosecond of the thread goes to
// exactly one call:
//
//	own(call) = length(call) − sum of covered(inner calls), covered(call) = own(call) + sum of covered(inner calls)
//
// so the sum of own over all calls is the length of the union of the calls, to the nanosecond, whatever the input.
// Calls that absorb (waits, and making a command buffer) keep the time of what is nested in them: the lock inside a
// wait is the wait. Calls that yield (waits for a signal) give their time to the call around them, if there is one:
// what Metal waits for within a call is the call.
type nesting struct {
	spans  []span         // post-order: the subtree of spans[i] is spans[i-size+1 : i+1]
	older  int            // so many of the spans were there at the last flush
	whole  int            // so many of those are whole subtrees, also with what came since
	settle func(s []span) // called once for each call, many at a time, with its final own time; some may be runs
	skewed int64          // calls that overlapped their neighbour, as no thread can: they were cut
}

// A span is a call of the thread, or a run of calls that are settled.
type span struct {
	begin, end Nanos
	own        Nanos // time not in inner calls
	covered    Nanos // own time and that of inner calls
	size       int32 // spans in the subtree, itself included
	slot       int32 // the caller's; −1 for a run of settled calls
	item       int32 // the caller's wait or lock; −1 when it is neither
	part       Part
	absorbs    bool
	yields     bool
	blocks     bool // it yields, and its item is a BlockedWait
	absorbed   bool
}

// Of the last keptSpans calls all are kept in case a call around them is still to come, and never more than maxSpans.
const (
	keptSpans = 1 << 7
	maxSpans  = 1 << 9
)

// next is room for the call that ended next. Whoever asks fills in when it was and what it is, and then places it.
func (n *nesting) next() *span {
	if len(n.spans) > n.older+keptSpans {
		n.flush()
	}
	if len(n.spans) == cap(n.spans) {
		n.spans = slices.Grow(n.spans, len(n.spans)+16)
	}
	n.spans = n.spans[:len(n.spans)+1]
	s := &n.spans[len(n.spans)-1]
	s.absorbed = false
	return s
}

// place settles how the call that next gave room for lies to those before it.
func (n *nesting) place() {
	last := len(n.spans) - 1
	s := &n.spans[last]
	if s.end < s.begin {
		s.end = s.begin
		n.skewed++
	}
	i, inner := last, Nanos(0)
	for i > 0 && n.spans[i-1].begin >= s.begin {
		root := &n.spans[i-1]
		if root.yields {
			root.covered, root.own, root.absorbed = root.covered-root.own, 0, true
		}
		inner += root.covered
		s.end = max(s.end, root.end)
		i -= int(root.size)
	}
	if i > 0 && n.spans[i-1].end > s.begin { // neither around its neighbour nor after it
		if n.spans[i-1].slot >= 0 {
			n.skewed++
		}
		s.begin = n.spans[i-1].end
		s.end = max(s.end, s.begin)
	}
	s.own = max(0, s.end-s.begin-inner)
	s.covered = s.own + inner
	s.size = int32(last - i + 1)
	n.whole = min(n.whole, i)
	if s.absorbs && i < last {
		for j := last - 1; j >= i; { // what is settled already stays where it is
			s.own += n.spans[j].own
			n.spans[j].own, n.spans[j].absorbed = 0, true
			if n.spans[j].absorbs { // has what is below it already
				j -= int(n.spans[j].size)
			} else {
				j--
			}
		}
	}
}

// flush settles the older calls and leaves one span for them, so that a call around them still knows what they covered.
func (n *nesting) flush() {
	if n.older > 0 {
		if n.whole == 0 || len(n.spans) > maxSpans-keptSpans {
			// one call is around all of them, or more and more are around each other
			n.whole = len(n.spans)
		}
		n.spans[n.whole-1] = n.settleFirst(n.whole)
		n.spans = append(n.spans[:0], n.spans[n.whole-1:]...)
	}
	n.older, n.whole = len(n.spans), len(n.spans)
}

// finish settles all calls.
func (n *nesting) finish() {
	n.settleFirst(len(n.spans))
	n.spans, n.older, n.whole = n.spans[:0], 0, 0
}

// settleFirst settles the first count spans, which must be whole subtrees, and returns the run that stands for them.
func (n *nesting) settleFirst(count int) span {
	run := span{size: 1, slot: -1, item: -1}
	for i := range n.spans[:count] {
		s := &n.spans[i]
		if run.end = s.end; i == 0 || s.begin < run.begin { // a call begins before those nested in it, and ends after them
			run.begin = s.begin
		}
		if run.covered += s.own; s.slot < 0 {
			run.covered += s.covered
		}
	}
	n.settle(n.spans[:count])
	return run
}
