package page

import (
	"math"

	"mtrace/analyze"
)

// steps stores how a level (such as allocated bytes) changes over the run, summed in bins. When there are too many
// bins, neighbouring ones are joined and the length of bins doubles. Changes may be added in any order.
type steps struct {
	bin  analyze.Nanos // length of a bin
	from int64         // number of the first bin
	bins []step
}

// A step is one bin of a level. change is the sum of the changes in the bin; area is what these changes add to the
// level's integral over the bin. From both, means computes the mean level.
type step struct{ change, area float64 }

// mostBins is the maximum number of bins of one level over time.
const mostBins = 1 << 11

// change raises the level by the given amount from an instant on.
func (s *steps) change(at analyze.Nanos, by float64) {
	s.bin = max(s.bin, 1)
	n := floor(at, s.bin)
	if len(s.bins) == 0 {
		s.from = n
	}
	for n < s.from && s.from-n+int64(len(s.bins)) > mostBins || n >= s.from+mostBins {
		s.coarsen()
		n = floor(at, s.bin)
	}
	if n < s.from {
		s.bins = append(make([]step, s.from-n), s.bins...)
		s.from = n
	}
	for int64(len(s.bins)) <= n-s.from {
		s.bins = append(s.bins, step{})
	}
	b := &s.bins[n-s.from]
	b.change += by
	b.area += by * float64(analyze.Nanos(n+1)*s.bin-at)
}

// between raises the level (the quantity that is drawn over time) by one during an interval: for instance, it counts a
// command buffer as in flight.
func (s *steps) between(i analyze.Interval) {
	if i.Length() > 0 {
		s.change(i.Begin, 1)
		s.change(i.End, -1)
	}
}

func (s *steps) coarsen() {
	from := s.from >> 1
	var bins []step
	for i, b := range s.bins {
		n := s.from + int64(i)
		for int64(len(bins)) <= n>>1-from {
			bins = append(bins, step{})
		}
		to := &bins[n>>1-from]
		to.change += b.change
		to.area += b.area
		// the change happened in the first half of the longer bin, so the level keeps it for the whole second half
		if n&1 == 0 {
			to.area += b.change * float64(s.bin)
		}
	}
	s.bin, s.from, s.bins = 2*s.bin, from, bins
}

// means returns the mean of the level in each bin.
func (s *steps) means() (list []float64) {
	level := 0.0
	for _, b := range s.bins {
		list = append(list, math.Max(0, math.Round((level+b.area/float64(s.bin))*1e4)/1e4))
		level += b.change
	}
	return list
}
