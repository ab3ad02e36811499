//go:build !amd64

package collector

import "mtrace/collector/wire"

// sampleClock returns false: on this architecture a process's clock counts nanoseconds or is converted by a known
// fraction, so its rate need not be measured.
func sampleClock(wire.ClockKind) (wire.ClockSample, bool) { return wire.ClockSample{}, false }
