package collector

import (
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// An instant is a moment on the clocks that the processes of this machine record with.
type instant struct {
	nanos int64      // on our monotonic clock
	ticks wire.Ticks // of the processor's counter, if processes may use it; otherwise 0
}

// now is this instant.
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

// after returns the instant d after i. The other instant, also, is needed to determine the rate of the ticks. If d is
// negative, the result may be before the clocks began: then its ticks are 0.
func (i instant) after(d time.Duration, also instant) instant {
	j := instant{nanos: i.nanos + d.Nanoseconds()}
	if i.ticks != 0 && also.nanos != i.nanos {
		rate := float64(int64(also.ticks-i.ticks)) / float64(also.nanos-i.nanos)
		j.ticks = wire.Ticks(max(1, int64(i.ticks)+int64(float64(d.Nanoseconds())*rate)))
	}
	return j
}

// ticksOf converts an instant to the process's clock; 0 before the clock began. The caller holds the mutex.
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

// instantOf converts a tick of the process's clock to an instant. The caller holds the mutex.
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
