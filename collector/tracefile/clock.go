package tracefile

import (
	"math/bits"
	"sort"

	"mtrace/collector/wire"
)

// A segment is a stretch between two clock samples, on which ticks convert to nanoseconds by a straight line.
type segment struct {
	ticks  wire.Ticks
	nanos  int64
	dTicks uint64
	dNanos uint64
}

// Nanos converts a reading of the process's raw clock to nanoseconds on the clock of Metal's GPU times: exact at the clock
// samples, linear between and beyond them, and monotone. A process with a raw clock and fewer than two samples cannot be
// converted; a tick then counts as a nanosecond.
func (p *Process) Nanos(t wire.Ticks) int64 {
	switch {
	case p.Clock == wire.ClockMach && p.TimebaseNumer != 0 && p.TimebaseDenom != 0:
		return int64(mulDiv(uint64(t), uint64(p.TimebaseNumer), uint64(p.TimebaseDenom)))
	case p.Clock != wire.ClockTSC || len(p.Samples) < 2:
		return int64(t)
	}
	if len(p.conversion) != len(p.Samples)-1 {
		p.prepare()
	}
	i := sort.Search(len(p.conversion), func(i int) bool { return p.conversion[i].ticks > t })
	s := p.conversion[max(i-1, 0)]
	if t < s.ticks {
		return s.nanos - int64(mulDiv(uint64(s.ticks-t), s.dNanos, s.dTicks))
	}
	return s.nanos + int64(mulDiv(uint64(t-s.ticks), s.dNanos, s.dTicks))
}

func (p *Process) prepare() {
	p.conversion = make([]segment, len(p.Samples)-1)
	for i := range p.conversion {
		a, b := p.Samples[i], p.Samples[i+1]
		p.conversion[i] = segment{a.Ticks, a.Nanos, uint64(b.Ticks - a.Ticks), uint64(b.Nanos - a.Nanos)}
	}
}

// mulDiv is a*b/c without overflow in between; a result beyond 64 bits is the largest there is.
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		return 1<<64 - 1
	}
	q, _ := bits.Div64(hi, lo, c)
	return q
}
