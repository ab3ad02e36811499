//go:build !amd64

package collector

import "mtrace/collector/wire"

// sampleClock has nothing to add where the raw clock is converted by a fraction or is nanoseconds already.
func sampleClock(wire.ClockKind) (wire.ClockSample, bool) { return wire.ClockSample{}, false }
