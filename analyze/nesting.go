package analyze

import "slices"

// A nesting computes exclusive times from the calls of one thread, which must be given in the order in which they
// ended. Calls may be nested: an inner call ends, and so is given, before the call around it. Every nanosecond counts
// for exactly one call:
//
//	own(call) = length(call) − sum of covered(inner calls),
//	covered(call) = own(call) + sum of covered(inner calls)
//
// So the sum of own over all calls equals the length of the union of the calls, exactly, whatever the input. There are
// two exceptions. Calls that absorb (waits, and making a command buffer) also get the time of the calls nested in them:
// a lock inside a wait counts as the wait. Calls that yield (waits for a signal) give their time to the call around
// them, if there is one: what Metal waits for inside a call counts as the call.
type nesting struct {
	spans []span // in post-order: the subtree of spans[i] is spans[i-size+1 : i+1]
	older int    // how many of the spans already existed at the last flush
	whole int    // how many of those are whole subtrees, even with the spans added since
	// receives each call once, many calls at a time, with its final own time; some of the spans may stand for runs of
	// settled calls
	settle func(s []span)
	// calls that partly overlapped the one before, which is impossible on one thread; they were cut
	skewed int64
}

// A span is a call of the thread, or stands for a run of settled calls, whose own times were already passed to settle.
type span struct {
	begin, end Nanos
	own        Nanos // time not in inner calls
	covered    Nanos // own plus the time of nested calls
	size       int32 // spans in the subtree, itself included
	slot       int32 // set by the user of nesting; −1 for a run of settled calls
	item       int32 // set by the user of nesting: the index of the wait or lock; −1 when it is neither
	part       Part
	absorbs    bool
	yields     bool
	blocks     bool // it yields, and item is the index of a BlockedWait
	absorbed   bool
}

// The last keptSpans calls are always kept, because a call around them may still come. There are never more than
// maxSpans spans.
const (
	keptSpans = 1 << 7
	maxSpans  = 1 << 9
)

// next returns a span for the call that ended next. The caller fills in the times and the kind of the call, and then
// calls place.
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

// place finds the earlier calls that are nested in the call that the caller has just filled in.
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
		// settled calls were passed to settle already and keep their time
		for j := last - 1; j >= i; {
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

// flush settles the older calls and replaces them by one span, so that for a call around them it is still known how
// much time they covered.
func (n *nesting) flush() {
	if n.older > 0 {
		if n.whole == 0 || len(n.spans) > maxSpans-keptSpans {
			// a single call is around all of them, or nesting gets deeper and deeper
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

// settleFirst passes on the first count spans, which must be whole subtrees, and returns a span that stands for them.
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
