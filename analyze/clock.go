package analyze

import (
	"math/bits"
	"sort"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A converter turns raw clock ticks into nanoseconds on the clock that all processes of the trace share. It caches
// the two clock samples around the last tick, because the next tick most likely lies between them too. Its methods
// change that cache, so only one goroutine may use it.
type converter struct {
	process  *tracefile.Process
	raw      bool // a tick is a nanosecond
	from, to wire.Ticks
	nanos    int64
	dTicks   uint64
	dNanos   uint64
	ratio    uint64 // dNanos/dTicks in 2^-64, rounded down; 0 when it is 1 or more
	// number of ticks after the clock sample at `from` for which multiplying by `upper` gives exact nanoseconds. Beyond
	// them the product can be one nanosecond too large
	reach uint64
	upper uint64 // ratio rounded up
}

func newConverter(p *tracefile.Process) *converter {
	mach := p.Clock == wire.ClockMach && p.TimebaseNumer != 0 && p.TimebaseDenom != 0
	return &converter{process: p, raw: !mach && (p.Clock != wire.ClockTSC || len(p.Samples) < 2)}
}

// Bounds of instants and durations. A damaged record can hold any number, and without bounds sums would overflow. The
// clock starts when the machine starts; 2^57 ns are 4 years, 2^50 ns are 13 days.
const (
	latestInstant Nanos = 1 << 57
	longestTime   Nanos = 1 << 50
)

// instant limits an instant in nanoseconds, read from a record, to latestInstant: a damaged record can hold any
// number, and sums must not overflow.
func instant(ns uint64) Nanos { return Nanos(min(ns, uint64(latestInstant))) }

// sharedTime converts a time in nanoseconds from the process's own clock to the shared clock. 0 means "not known" and
// stays 0.
func (c *converter) sharedTime(ns uint64) Nanos {
	if ns == 0 || c.process.Ahead == 0 {
		return instant(ns)
	}
	return min(max(instant(ns)-Nanos(c.process.Ahead), 0), latestInstant)
}

// at is the instant of a tick.
func (c *converter) at(t wire.Ticks) Nanos {
	if c.raw {
		return c.sharedTime(uint64(t))
	}
	return min(max(min(max(c.convert(t), -latestInstant), latestInstant)-Nanos(c.process.Ahead), 0), latestInstant)
}

// interval converts the time between two ticks. Nearly always both ticks are so close to the clock sample at `from`
// (nearer than c.reach) that one multiplication each is exact. Otherwise the slower method at converts them.
func (c *converter) interval(begin, end wire.Ticks) Interval {
	a, b := uint64(begin-c.from), uint64(end-c.from)
	if a >= c.reach || b >= c.reach {
		return Interval{c.at(begin), c.at(end)}
	}
	p, _ := bits.Mul64(a, c.upper)
	q, _ := bits.Mul64(b, c.upper)
	return Interval{Nanos(c.nanos + int64(p)), Nanos(c.nanos + int64(q))}
}

func (c *converter) convert(t wire.Ticks) Nanos {
	if c.process.Clock == wire.ClockMach {
		return Nanos(c.process.Nanos(t))
	}
	if t < c.from || t >= c.to || c.dTicks == 0 {
		c.seek(t)
	}
	if t < c.from || c.dTicks == 0 {
		return Nanos(c.process.Nanos(t))
	}
	if passed := uint64(t - c.from); c.ratio > 0 {
		// multiply by the reciprocal, because a division is slower. The quotient may be too small by one: then the
		// remainder is not smaller than the divisor
		q, _ := bits.Mul64(passed, c.ratio)
		if passed*c.dNanos-q*c.dTicks >= c.dTicks {
			q++
		}
		return Nanos(c.nanos + int64(min(q, uint64(latestInstant))))
	}
	hi, lo := bits.Mul64(uint64(t-c.from), c.dNanos)
	if hi >= c.dTicks {
		return Nanos(c.process.Nanos(t))
	}
	q, _ := bits.Div64(hi, lo, c.dTicks)
	return Nanos(c.nanos + int64(min(q, uint64(latestInstant))))
}

// seek makes the two consecutive clock samples around t the current pair. After the last sample, the clock is assumed
// to continue at the rate of the last pair.
func (c *converter) seek(t wire.Ticks) {
	s := c.process.Samples
	i := sort.Search(len(s)-1, func(i int) bool { return s[i].Ticks > t })
	a := max(i-1, 0)
	c.from, c.to, c.nanos = s[a].Ticks, s[a+1].Ticks, s[a].Nanos
	if a+2 == len(s) {
		c.to = ^wire.Ticks(0)
	}
	c.dTicks, c.dNanos = uint64(s[a+1].Ticks-s[a].Ticks), uint64(s[a+1].Nanos-s[a].Nanos)
	if c.ratio = 0; c.dNanos < c.dTicks && c.dTicks < 1<<62 {
		c.ratio, _ = bits.Div64(c.dNanos, 0, c.dTicks)
	}
	c.setReach()
}

// setReach sets reach, the number of ticks after the current clock sample for which one multiplication is exact. Let
// e = upper·dTicks − 2^64·dNanos, which is at most dTicks. For n ticks, the product is too large by n·e/dTicks in
// units of 2^-64. A quotient that is no integer is at least 1/dTicks below the next integer. So the error does not
// change the integer part while n·e is below 2^64.
func (c *converter) setReach() {
	c.reach, c.upper = 0, c.ratio+1
	if c.process.Ahead == 0 && c.ratio > 0 && c.upper > 0 && c.dTicks < 1<<32 && c.nanos >= 0 &&
		Nanos(c.nanos) < latestInstant-1<<32 {
		c.reach = min(uint64(c.to-c.from), 1<<32)
	}
}
