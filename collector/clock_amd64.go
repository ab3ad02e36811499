package collector

import (
	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// tsc reads the processor's time-stamp counter (RDTSC).
func tsc() uint64

// sampleClock reads the processor's time-stamp counter and the monotonic clock at the same instant. It returns false
// unless the process records with that counter. The rate of the counter follows from two samples. A process that is
// killed within its first millisecond sent samples too close together, so the collector adds its own.
func sampleClock(kind wire.ClockKind) (wire.ClockSample, bool) {
	if kind != wire.ClockTSC {
		return wire.ClockSample{}, false
	}
	var best wire.ClockSample
	tightest := ^uint64(0)
	for range 5 {
		var now unix.Timespec
		before := tsc()
		err := unix.ClockGettime(monotonicClock, &now)
		gap := tsc() - before
		if err == nil && gap < tightest {
			tightest = gap
			best = wire.ClockSample{Ticks: wire.Ticks(before + gap/2), Nanos: now.Nano()}
		}
	}
	return best, tightest != ^uint64(0)
}
