package analyze

import (
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// longestCall bounds what the histograms hold: longer calls count as this long there, and exactly in every sum.
const longestCall = 3600e9

// callSums adds calls up for a CallStat while the trace is read. How often there was a call of each duration is counted in the classes of
// the histogram that it becomes, of which it takes only as many as there are long calls.
type callSums struct {
	*CallStat
	counts []int64 // of durations d, at e<<classBits + d>>e, where e is how many low bits d has beyond classBits + 1
}

// classBits make three significant figures, as hdrhistogram's: its classes are these.
const classBits = 10

// add adds a call. Count is the sum of what the threads count for themselves.
func (c *callSums) add(d Nanos) {
	c.Total += d
	c.Min, c.Max = min(c.Min, d), max(c.Max, d)
	v := uint64(min(d, longestCall))
	e := bits.Len64(v|(2<<classBits-1)) - classBits - 1
	i := e<<classBits + int(v>>e)
	if i >= len(c.counts) {
		c.counts = append(c.counts, make([]int64, (e+2)<<classBits-len(c.counts))...)
	}
	c.counts[i]++
}

// finish makes the histogram.
func (c *callSums) finish() {
	c.Durations = hdrhistogram.New(1, longestCall, 3)
	for i, n := range c.counts {
		if n > 0 {
			e := max(0, i>>classBits-1)
			_ = c.Durations.RecordValues(int64(i-e<<classBits)<<e, n)
		}
	}
}
