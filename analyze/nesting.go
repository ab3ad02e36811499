package analyze

import "slices"

// A nesting computes exclusive times from the calls of one thread. The calls must come in the order in which they
// ended, so a nested call comes before the call around it. Every nanosecond counts for exactly one call:
//
//	own(call) = length(call) − sum of covered(inner calls),
//	covered(call) = own(call) + sum of covered(inner calls)
//
// So the sum of own over all calls is exactly the length of the union of the calls. There are two exceptions. A call
// that absorbs (a wait, or the creation of a command buffer) also gets the time of calls nested in it: a lock inside
// a wait counts as the wait. A call that yields (a wait for a signal) gives its time to the call around it, if there
// is one: when Metal waits inside a call, that time counts as the call's.
type nesting struct {
	spans []span // in post-order: the subtree of spans[i] is spans[i-size+1 : i+1]
	older int    // number of spans that the last flush left in `spans`
	whole int    // number of these older spans that form complete subtrees: no later call surrounds only some of them
	// settle receives each call once, when its own time is final. It receives a batch of spans, and must skip spans
	// with a negative slot: they stand for calls of earlier batches
	settle func(s []span)
	// calls that partly overlapped the previous call, which is impossible on one thread; their overlap was cut off
	skewed int64
}

// A span is one call of the thread. A span with a negative slot stands for many earlier calls whose own times are
// final and were passed on (settled).
type span struct {
	begin, end Nanos
	exclusive  Nanos // the call's own time: without nested calls
	covered    Nanos // own time plus the covered time of nested calls
	size       int32 // spans in the subtree, itself included
	slot       int32 // set by the user of nesting; −1 for a run of settled calls
	item       int32 // set by the user of nesting: the index of the wait or lock; −1 when it is neither
	part       Part
	absorbs    bool
	yields     bool
	blocks     bool // it yields, and item is the index of a BlockedWait
	absorbed   bool
}

// keptSpans is how many of the latest calls stay unsettled (their time is not final), because a surrounding call may
// still follow. maxSpans limits the number of spans in memory.
const (
	keptSpans = 1 << 7
	maxSpans  = 1 << 9
)

// next appends a span for the next call in the order of call ends, and returns it. The caller fills in times and
// kind of the call and then calls place.
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

// place computes the own and the covered time of the span that the caller has just filled in. All earlier spans that
// began after it are nested in it.
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
			root.covered, root.exclusive, root.absorbed = root.covered-root.exclusive, 0, true
		}
		inner += root.covered
		s.end = max(s.end, root.end)
		i -= int(root.size)
	}
	if i > 0 && n.spans[i-1].end > s.begin { // the calls overlap partly, which is impossible on one thread
		if n.spans[i-1].slot >= 0 {
			n.skewed++
		}
		s.begin = n.spans[i-1].end
		s.end = max(s.end, s.begin)
	}
	s.exclusive = max(0, s.end-s.begin-inner)
	s.covered = s.exclusive + inner
	s.size = int32(last - i + 1)
	n.whole = min(n.whole, i)
	if s.absorbs && i < last {
		// the call absorbs the time of the calls nested in it. A nested call whose own time is already settled (passed on
		// as final) keeps it
		for j := last - 1; j >= i; {
			s.exclusive += n.spans[j].exclusive
			n.spans[j].exclusive, n.spans[j].absorbed = 0, true
			if n.spans[j].absorbs { // it has already absorbed the calls nested in it
				j -= int(n.spans[j].size)
			} else {
				j--
			}
		}
	}
}

// flush settles older calls: it passes on their own times as final and replaces them by one span. That span stores
// the time that the calls covered, so that a surrounding call can still subtract it.
func (n *nesting) flush() {
	if n.older > 0 {
		if n.whole == 0 || len(n.spans) > maxSpans-keptSpans {
			// one call surrounds all others, or calls nest deeper and deeper, so no subtree is complete. Settle all calls
			// anyway, to limit memory
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

// settleFirst passes on the own times of the first `count` spans as final, and returns one span that stands for all
// of them. No later span may surround only some of these spans: they must be complete subtrees.
func (n *nesting) settleFirst(count int) span {
	run := span{size: 1, slot: -1, item: -1}
	for i := range n.spans[:count] {
		s := &n.spans[i]
		// spans are in the order of their ends, so the last one ends last, but any of them may begin first
		if run.end = s.end; i == 0 || s.begin < run.begin {
			run.begin = s.begin
		}
		if run.covered += s.exclusive; s.slot < 0 {
			run.covered += s.covered
		}
	}
	n.settle(n.spans[:count])
	return run
}
