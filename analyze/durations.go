package analyze

import "math/bits"

// Durations is a histogram of durations. It has the classes of HdrHistogram (Gil Tene) with three significant digits:
// a class is one nanosecond wide, or for long durations a thousandth of the duration. Counts are stored in pages that
// are allocated when needed, so a histogram takes some kilobytes instead of three hundred. The zero value is an empty
// histogram.
type Durations struct {
	pages []*durationPage // in the order of their classes; nil for a page without counts
	count int64
}

// A durationPage holds the counts of 2^pageBits neighbouring classes of the histogram.
type durationPage [1 << pageBits]int64

const (
	classBits = 10 // 2^classBits neighbouring classes have the same width; the next ones are twice as wide
	pageBits  = 6
)

// longestCall is the longest duration that the histogram can store, one hour in nanoseconds. Longer durations count
// as this long.
const longestCall = 3600e9

// A durationClass is the number of a class of the histogram. The class of a duration d is e<<classBits + d>>e, where
// e is the number of bits that d has beyond classBits + 1.
type durationClass int

func classOf(d Nanos) durationClass {
	v := uint64(min(max(d, 0), longestCall))
	e := bits.Len64(v|(2<<classBits-1)) - classBits - 1
	return durationClass(e<<classBits + int(v>>e))
}

// bounds returns the shortest duration in the class, and the width of the class in nanoseconds.
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

// page returns the page with the given number and allocates it if necessary.
func (h *Durations) page(number int) *durationPage {
	if number >= len(h.pages) {
		h.pages = append(h.pages, make([]*durationPage, number+1-len(h.pages))...)
	}
	if h.pages[number] == nil {
		h.pages[number] = &durationPage{}
	}
	return h.pages[number]
}

// Merge adds all durations of another histogram; nil adds nothing.
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

// each calls f for each class that contains durations, shortest first, until f returns false.
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

// Min returns the shortest duration, accurate to a thousandth; 0 when the histogram is empty.
func (h *Durations) Min() (shortest Nanos) {
	h.each(func(c durationClass, _ int64) bool {
		least, _ := c.bounds()
		shortest = Nanos(least)
		return false
	})
	return shortest
}

// Max returns the longest duration, accurate to a thousandth; 0 when the histogram is empty.
func (h *Durations) Max() Nanos { return h.At(100) }

// Mean returns the mean in nanoseconds. Each duration counts as the middle of its class. An empty histogram has mean
// 0.
func (h *Durations) Mean() (mean float64) {
	h.each(func(c durationClass, n int64) bool {
		least, width := c.bounds()
		mean += float64(n) * float64(least+width/2) / float64(h.count)
		return true
	})
	return mean
}

// At returns the given percentile (0 to 100): that percentage of durations is not longer than the result. It is
// accurate to a thousandth, and 0 when the histogram is empty.
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
