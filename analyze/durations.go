package analyze

import "math/bits"

// Durations says how many durations there were, in classes of which each is as wide as a thousandth of what is in it,
// or a nanosecond. These are HdrHistogram's (Gil Tene) with three significant figures; but only those are there, in
// pages, that something fell into, or near which. A kind of call takes some kilobytes, not three hundred. The zero
// value is empty.
type Durations struct {
	pages []*durationPage // of classes in ascending order; nil where all are empty
	count int64
}

// A durationPage has the counts of as many neighbouring classes.
type durationPage [1 << pageBits]int64

const (
	classBits = 10 // classes of which each is twice as wide as those below: as many as two to this
	pageBits  = 6
)

// longestCall is how long a duration counts at most.
const longestCall = 3600e9

// A durationClass is the place of a class among all: of a duration d it is e<<classBits + d>>e, where e is how many low
// bits d has beyond classBits + 1.
type durationClass int

func classOf(d Nanos) durationClass {
	v := uint64(min(max(d, 0), longestCall))
	e := bits.Len64(v|(2<<classBits-1)) - classBits - 1
	return durationClass(e<<classBits + int(v>>e))
}

// bounds are the shortest duration of the class, and how many there are.
func (c durationClass) bounds() (least, width int64) {
	e := max(0, int(c)>>classBits-1)
	return int64(int(c)-e<<classBits) << e, 1 << e
}

// Add adds a duration.
func (h *Durations) Add(d Nanos) {
	c := classOf(d)
	h.page(int(c >> pageBits))[c%(1<<pageBits)]++
	h.count++
}

// page is a page, which is made if it is not there.
func (h *Durations) page(number int) *durationPage {
	if number >= len(h.pages) {
		h.pages = append(h.pages, make([]*durationPage, number+1-len(h.pages))...)
	}
	if h.pages[number] == nil {
		h.pages[number] = &durationPage{}
	}
	return h.pages[number]
}

// Merge adds all durations of another; nil has none.
func (h *Durations) Merge(other *Durations) {
	if other == nil {
		return
	}
	for number, from := range other.pages {
		if from == nil {
			continue
		}
		to := h.page(number)
		for i, n := range from {
			to[i] += n
		}
	}
	h.count += other.count
}

// each calls f with each class that something fell into, in ascending order, until it says that it has enough.
func (h *Durations) each(f func(c durationClass, count int64) (more bool)) {
	for number, page := range h.pages {
		if page == nil {
			continue
		}
		for i, n := range page {
			if n > 0 && !f(durationClass(number<<pageBits+i), n) {
				return
			}
		}
	}
}

// Count is how many durations there are.
func (h *Durations) Count() int64 { return h.count }

// Min is the shortest duration, to a thousandth; 0 of none.
func (h *Durations) Min() (shortest Nanos) {
	h.each(func(c durationClass, _ int64) bool {
		least, _ := c.bounds()
		shortest = Nanos(least)
		return false
	})
	return shortest
}

// Max is the longest duration, to a thousandth; 0 of none.
func (h *Durations) Max() Nanos { return h.At(100) }

// Mean is the mean of the middles of the classes; 0 of none.
func (h *Durations) Mean() (mean float64) {
	h.each(func(c durationClass, n int64) bool {
		least, width := c.bounds()
		mean += float64(n) * float64(least+width/2) / float64(h.count)
		return true
	})
	return mean
}

// At is the duration that so many per cent are not longer than, to a thousandth; 0 of none.
func (h *Durations) At(percent float64) (at Nanos) {
	rank := min(max(1, int64(percent/100*float64(h.count)+0.5)), h.count)
	h.each(func(c durationClass, n int64) bool {
		rank -= n
		least, width := c.bounds()
		at = Nanos(least + width - 1)
		return rank > 0
	})
	return at
}
