package summary

import (
	"math"
	"slices"
)

// timingOf returns the distribution of the times. It sorts the list.
func timingOf(times []Nanos) Timing {
	if len(times) == 0 {
		return Timing{}
	}
	slices.Sort(times)
	t := Timing{Count: len(times), MinNS: times[0], MaxNS: times[len(times)-1]}
	for _, d := range times {
		t.SumNS += d
	}
	t.MeanNS = t.SumNS / Nanos(len(times))
	t.P50NS = percentile(times, 0.50)
	t.P95NS = percentile(times, 0.95)
	t.P99NS = percentile(times, 0.99)
	return t
}

// percentile returns a percentile of the sorted times; p is a share from 0 to 1. It is the smallest time t such that at
// least the share p of all times is at most t.
func percentile(sorted []Nanos, p float64) Nanos {
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}

func timingPointer(times []Nanos) *Timing {
	if len(times) == 0 {
		return nil
	}
	t := timingOf(times)
	return &t
}

// coverage measures intervals: how much time at least one covers, how much at least two, and the sum of their
// lengths. Intervals must be added in order of begin.
type coverage struct {
	count       int
	sum         Nanos
	once, twice Nanos
	end1, end2  Nanos // the ends of the time covered at least once, and at least twice
}

func (c *coverage) add(begin, end Nanos) {
	c.count++
	if end <= begin {
		return
	}
	c.sum += end - begin
	if both := min(end, c.end1); both > begin {
		c.twice += max(0, both-max(begin, c.end2))
		c.end2 = max(c.end2, both)
	}
	c.once += max(0, end-max(begin, c.end1))
	c.end1 = max(c.end1, end)
}

func (c *coverage) busy(window Nanos) Busy {
	b := Busy{Intervals: c.count, BusyNS: c.once, SumNS: c.sum, OverlapNS: c.twice}
	if window > 0 {
		b.BusyShare = float64(c.once) / float64(window)
	}
	return b
}

func share(part, whole Nanos) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
