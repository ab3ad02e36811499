package evidence

import (
	"sort"

	"mtrace/analyze"
)

// Busy is a union of intervals: disjoint, ascending, with the sum of the lengths before each, so that the part of it
// within any interval is found in logarithmic time.
type Busy struct {
	spans  []analyze.Interval
	before []analyze.Nanos // length of spans[:i]
}

// NewBusy is the union of the intervals, which it sorts.
func NewBusy(intervals []analyze.Interval) *Busy {
	b := &Busy{spans: analyze.Union(intervals)}
	b.add()
	return b
}

// unions are the unions of lists of intervals, which it sorts.
func unions[K comparable](lists map[K][]analyze.Interval) map[K]*Busy {
	all := make(map[K]*Busy, len(lists))
	for k, list := range lists {
		all[k] = NewBusy(list)
	}
	return all
}

// add adds the lengths up, when all spans are there.
func (b *Busy) add() {
	b.before = make([]analyze.Nanos, len(b.spans)+1)
	for i, s := range b.spans {
		b.before[i+1] = b.before[i] + s.Length()
	}
}

// extend puts an interval into the union that begins no earlier than any in it. See add.
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

// Total is the length of the union.
func (b *Busy) Total() analyze.Nanos {
	if b == nil {
		return 0
	}
	return b.before[len(b.spans)]
}

// Within is the length of the union inside i.
func (b *Busy) Within(i analyze.Interval) analyze.Nanos {
	if b == nil || i.End <= i.Begin {
		return 0
	}
	from := b.begun(i.Begin, 0)
	return b.until(i.End, b.begun(i.End, from)) - b.until(i.Begin, from)
}

// holds says whether the union has an instant.
func (b *Busy) holds(t analyze.Nanos) bool {
	return b.Within(analyze.Interval{Begin: t, End: t + 1}) > 0
}

// begun is how many spans begin before t, which are so many at least. It is asked for each wait: a search of the
// language's library, with a call for each step, takes twice as long.
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

// until is the length of the union before t, where so many spans have begun.
func (b *Busy) until(t analyze.Nanos, begun int) analyze.Nanos {
	if begun == 0 {
		return 0
	}
	return b.before[begun-1] + min(t, b.spans[begun-1].End) - b.spans[begun-1].Begin
}

// FreeBefore is how long, at the end of i, nothing of the union has been open.
func (b *Busy) FreeBefore(i analyze.Interval) analyze.Nanos {
	if n := b.begun(i.End, 0); n > 0 {
		i.Begin = max(i.Begin, b.spans[n-1].End)
	}
	return max(0, i.Length())
}

// Spans are the disjoint intervals of the union, ascending.
func (b *Busy) Spans() []analyze.Interval {
	if b == nil {
		return nil
	}
	return b.spans
}

// Gaps are the intervals of within that the union leaves free, ascending.
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

// divide walks through within in the order of time: inside gets what is in the union, outside what it leaves free.
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

func overlap(a, b analyze.Interval) analyze.Nanos { return a.Within(b).Length() }
