package evidence

import (
	"sort"

	"mtrace/analyze"
)

// Busy is a union of intervals: disjoint, in ascending order, with the cumulative length before each, so that the
// length within any interval is found in logarithmic time. A nil *Busy is empty.
type Busy struct {
	spans  []analyze.Interval
	before []analyze.Nanos // cumulative length of spans[:i]
}

// NewBusy returns the union of the intervals. It sorts the argument.
func NewBusy(intervals []analyze.Interval) *Busy {
	b := &Busy{spans: analyze.Union(intervals)}
	b.add()
	return b
}

// unions returns the union of each list. It sorts the lists.
func unions[K comparable](lists map[K][]analyze.Interval) map[K]*Busy {
	all := make(map[K]*Busy, len(lists))
	for k, list := range lists {
		all[k] = NewBusy(list)
	}
	return all
}

// add computes the cumulative lengths. Call it after the last extend; without it Total and LengthWithin fail.
func (b *Busy) add() {
	b.before = make([]analyze.Nanos, len(b.spans)+1)
	for i, s := range b.spans {
		b.before[i+1] = b.before[i] + s.Length()
	}
}

// extend adds an interval that begins no earlier than any interval in the union. Call add after the last one.
func (b *Busy) extend(i analyze.Interval) {
	n := len(b.spans)
	switch {
	case i.End <= i.Begin:
	case n > 0 && i.Begin <= b.spans[n-1].End:
		b.spans[n-1].End = max(b.spans[n-1].End, i.End)
	default:
		b.spans = append(b.spans, i)
	}
}

// Total returns the length of the union in ns.
func (b *Busy) Total() analyze.Nanos {
	if b == nil {
		return 0
	}
	return b.before[len(b.spans)]
}

// LengthWithin returns the length in ns of the union inside i.
func (b *Busy) LengthWithin(i analyze.Interval) analyze.Nanos {
	if b == nil || i.End <= i.Begin {
		return 0
	}
	from := b.begun(i.Begin, 0)
	return b.until(i.End, b.begun(i.End, from)) - b.until(i.Begin, from)
}

// contains reports whether some interval of the union contains the time `t`.
func (b *Busy) contains(t analyze.Nanos) bool {
	return b.LengthWithin(analyze.Interval{Begin: t, End: t + 1}) > 0
}

// begun returns the number of spans that begin before `t`; the caller knows that it is not smaller than `least`. It
// is called for each wait, so it does not use sort.Search, whose function call for each step takes twice as long.
func (b *Busy) begun(t analyze.Nanos, least int) int {
	from, to := least, len(b.spans)
	for from < to {
		if middle := int(uint(from+to) >> 1); b.spans[middle].Begin < t {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// until returns the length of the union before `t`. `begun` is the number of spans that begin before `t`.
func (b *Busy) until(t analyze.Nanos, begun int) analyze.Nanos {
	if begun == 0 {
		return 0
	}
	return b.before[begun-1] + min(t, b.spans[begun-1].End) - b.spans[begun-1].Begin
}

// lastFree returns the last time up to t that no interval of the union contains.
func (b *Busy) lastFree(t analyze.Nanos) analyze.Nanos {
	if b != nil && b.contains(t) {
		return b.spans[b.begun(t+1, 0)-1].Begin - 1
	}
	return t
}

// FreeBefore returns how long the union had been free before i.End: the time since the end of its last interval that
// begins before i.End, but at most the length of i.
func (b *Busy) FreeBefore(i analyze.Interval) analyze.Nanos {
	if n := b.begun(i.End, 0); n > 0 {
		i.Begin = max(i.Begin, b.spans[n-1].End)
	}
	return max(0, i.Length())
}

// Spans returns the disjoint intervals of the union in ascending order. The caller must not change them.
func (b *Busy) Spans() []analyze.Interval {
	if b == nil {
		return nil
	}
	return b.spans
}

// Gaps returns the intervals of within that the union does not cover, in ascending order.
func (b *Busy) Gaps(within analyze.Interval) []analyze.Interval {
	var gaps []analyze.Interval
	at, spans := within.Begin, b.Spans()
	for _, s := range spans[sort.Search(len(spans), func(i int) bool { return spans[i].End > at }):] {
		if s.Begin >= within.End {
			break
		}
		if s.Begin > at {
			gaps = append(gaps, analyze.Interval{Begin: at, End: s.Begin})
		}
		at = max(at, s.End)
	}
	if at < within.End {
		gaps = append(gaps, analyze.Interval{Begin: at, End: within.End})
	}
	return gaps
}

// divide splits the interval `within` at the borders of the union. It passes the covered pieces to inside and the
// others to outside, in order of time.
func (b *Busy) divide(within analyze.Interval, inside, outside func(analyze.Interval)) {
	at := within.Begin
	for _, gap := range b.Gaps(within) {
		if gap.Begin > at {
			inside(analyze.Interval{Begin: at, End: gap.Begin})
		}
		outside(gap)
		at = gap.End
	}
	if at < within.End {
		inside(analyze.Interval{Begin: at, End: within.End})
	}
}

func overlap(a, b analyze.Interval) analyze.Nanos { return a.Intersect(b).Length() }
