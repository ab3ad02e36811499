package tracefile

import (
	"math"
	"math/bits"
	"sort"

	"mtrace/collector/wire"
)

// Nanos converts a tick of the process's clock to nanoseconds on the clock of Metal's GPU times. Ticks of
// mach_absolute_time have a known length. Ticks of the processor's counter (TSC) are converted with the clock samples:
// exactly at each sample, linearly between and beyond them. Otherwise one tick counts as one nanosecond. A later tick
// never gets an earlier time.
func (p *Process) Nanos(t wire.Ticks) int64 {
	switch {
	case p.Clock == wire.ClockMach && p.TimebaseNumer != 0 && p.TimebaseDenom != 0:
		return MulDiv(uint64(t), uint64(p.TimebaseNumer), uint64(p.TimebaseDenom))
	case p.Clock != wire.ClockTSC || len(p.Samples) < 2:
		return int64(t)
	}
	i := sort.Search(len(p.Samples), func(i int) bool { return p.Samples[i].Ticks > t })
	i = min(max(i-1, 0), len(p.Samples)-2)
	a, b := p.Samples[i], p.Samples[i+1]
	ticks, nanos := uint64(b.Ticks-a.Ticks), uint64(b.Nanos-a.Nanos)
	if t < a.Ticks {
		return a.Nanos - MulDiv(uint64(a.Ticks-t), nanos, ticks)
	}
	passed := MulDiv(uint64(t-a.Ticks), nanos, ticks)
	if a.Nanos > 0 && passed > math.MaxInt64-a.Nanos { // only damaged samples are that large
		return math.MaxInt64
	}
	return a.Nanos + passed
}

// Sampled adds a clock sample while the process is recorded. At most two samples are kept, the first and the latest,
// because samples close together would give a wrong clock rate.
func (p *Process) Sampled(s wire.ClockSample) {
	switch n := len(p.Samples); {
	case n == 0 || s.Ticks > p.Samples[n-1].Ticks && n == 1:
		p.Samples = append(p.Samples, s)
	case s.Ticks > p.Samples[n-1].Ticks && s.Nanos > p.Samples[n-1].Nanos:
		p.Samples[n-1] = s
	}
}

// MulDiv returns a*b/c; the product may exceed 64 bits. If the result exceeds an int64, it returns the largest int64.
func MulDiv(a, b, c uint64) int64 {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, c)
	return int64(min(q, math.MaxInt64))
}
