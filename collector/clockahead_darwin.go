package collector

import "mtrace/collector/wire"

// clockAhead returns 0: macOS has no time namespaces, so all processes read the same monotonic clock.
func (t *processTrace) clockAhead(wire.ClockSample) int64 { return 0 }
