package tracesim

import (
	"math"
	"slices"
)

// A sharing is what does several things at the same time, and each of them the slower the more they are: a GPU, or
// processors.
type sharing struct {
	clock    *clock
	pace     func(n int) float64 // how much is done in a nanosecond of each of n
	running  []*sharer
	counted  int64 // up to when it was counted what of that is done
	expected int   // which look at it is to be next
	count    func(passed float64)
}

// A sharer is one of these things.
type sharer struct {
	left float64 // to be done
	by   *used   // whose it is, of processors
	done func()
}

// begin begins a thing that takes so long alone, and that what is done alongside it slows down, as it slows that down.
func (s *sharing) begin(work int64, by *used, done func()) {
	s.share()
	s.running = append(s.running, &sharer{float64(max(1, work)), by, done})
	s.expect()
}

// share counts what was done since it was counted last.
func (s *sharing) share() {
	passed := float64(s.clock.now - s.counted)
	for _, b := range s.running {
		b.left -= passed * s.pace(len(s.running))
	}
	if s.count != nil {
		s.count(passed)
	}
	s.counted = s.clock.now
}

// expect looks again when the first of what runs should be done, if nothing begins or ends before.
func (s *sharing) expect() {
	s.expected++
	this, least := s.expected, math.Inf(1)
	for _, b := range s.running {
		least = min(least, b.left)
	}
	if len(s.running) == 0 {
		return
	}
	s.clock.at(s.clock.now+int64(math.Ceil(max(0, least)/s.pace(len(s.running)))), func() {
		if this != s.expected {
			return
		}
		s.share()
		var ended []*sharer
		s.running = slices.DeleteFunc(s.running, func(b *sharer) bool {
			if b.left < 1 {
				ended = append(ended, b)
			}
			return b.left < 1
		})
		s.expect()
		for _, b := range ended {
			b.done()
		}
	})
}
