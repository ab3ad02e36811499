package collector

import (
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// An instant is one moment, expressed on both clocks that processes of this machine may record with.
type instant struct {
	nanos int64      // on the collector's monotonic clock
	ticks wire.Ticks // on the processor's tick counter, if processes may record with it; otherwise 0
}

// now returns the current instant. Its ticks are 0 if processes on this machine do not record with the tick counter.
func now() instant {
	if s, ok := sampleClock(wire.ClockTSC); ok {
		return instant{s.Nanos, s.Ticks}
	}
	var t unix.Timespec
	if unix.ClockGettime(monotonicClock, &t) != nil {
		return instant{}
	}
	return instant{nanos: t.Nano()}
}

// after returns the instant that lies d after i. It computes the rate of the ticks from i and the instant `also`: the
// farther `also` is from i, the smaller the error. The ticks of the result are at least 1.
func (i instant) after(d time.Duration, also instant) instant {
	j := instant{nanos: i.nanos + d.Nanoseconds()}
	if i.ticks != 0 && also.nanos != i.nanos {
		rate := float64(int64(also.ticks-i.ticks)) / float64(also.nanos-i.nanos)
		j.ticks = wire.Ticks(max(1, int64(i.ticks)+int64(float64(d.Nanoseconds())*rate)))
	}
	return j
}

// ticksOf converts an instant to a tick of the process's recording clock. It returns 0 for an instant before that
// clock began, and if the clock is not known yet. The caller holds t.mutex.
func (t *processTrace) ticksOf(i instant) wire.Ticks {
	switch t.clock {
	case wire.ClockTSC:
		return i.ticks
	case wire.ClockMach:
		if t.numer == 0 {
			return 0
		}
		return wire.Ticks(tracefile.MulDiv(uint64(max(0, i.nanos)), uint64(t.denom), uint64(t.numer)))
	}
	return wire.Ticks(max(0, i.nanos+t.ahead))
}

// instantOf converts a tick of the process's recording clock to an instant. The caller holds t.mutex.
func (t *processTrace) instantOf(at wire.Ticks) instant {
	switch t.clock {
	case wire.ClockTSC:
		began, here := t.collector.began, now()
		if here.ticks == 0 || here.ticks == began.Ticks {
			return here
		}
		rate := float64(here.nanos-began.Nanos) / float64(here.ticks-began.Ticks)
		return instant{here.nanos - int64(float64(int64(here.ticks-at))*rate), at}
	case wire.ClockMach:
		if t.denom == 0 {
			return now()
		}
		return instant{nanos: tracefile.MulDiv(uint64(at), uint64(t.numer), uint64(t.denom))}
	}
	return instant{nanos: int64(at) - t.ahead}
}

// monotonic returns the current time of the collector's monotonic clock, in nanoseconds.
func monotonic() int64 { return now().nanos }
