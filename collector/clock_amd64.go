package collector

import (
	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// tsc is rdtsc.
func tsc() uint64

// sampleClock reads the raw clock of a process on this machine and the monotonic clock at the same instant. A process
// that is killed in its first millisecond leaves samples too close together to measure the rate of its clock; these
// samples are farther apart.
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
