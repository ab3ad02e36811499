//go:build !amd64

package collector

import "mtrace/collector/wire"

// sampleClock is not needed here: the raw clock is in nanoseconds or is converted by a fraction.
func sampleClock(wire.ClockKind) (wire.ClockSample, bool) { return wire.ClockSample{}, false }
