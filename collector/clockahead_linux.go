package collector

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"mtrace/collector/wire"
)

// clockAhead returns how far the monotonic clock of a process is ahead of the collector's, in nanoseconds: clocks in
// another time namespace begin at another instant. It is 0 if the offset cannot be read, for instance if the collector
// starts late and the process is gone.
func (t *processTrace) clockAhead(first wire.ClockSample) int64 {
	if t.peer == 0 {
		return 0
	}
	theirs, ok := monotonicOffset(strconv.Itoa(t.peer))
	ours, known := monotonicOffset("self")
	switch {
	case ok && known:
		return theirs - ours
	case known && t.clock == wire.ClockTSC:
		return t.collector.aheadByTicks(first)
	}
	return 0
}

// leastAhead is smaller than any offset that users set, and larger than the error of the estimate, in nanoseconds.
const leastAhead = int64(time.Second)

// aheadByTicks computes the same offset as clockAhead from a sample of a process's clock, by the ticks that all
// processes share.
func (c *Collector) aheadByTicks(first wire.ClockSample) int64 {
	now, ok := sampleClock(wire.ClockTSC)
	if !ok || now.Ticks <= c.began.Ticks {
		return 0
	}
	rate := float64(now.Nanos-c.began.Nanos) / float64(now.Ticks-c.began.Ticks)
	ours := now.Nanos + int64(float64(int64(first.Ticks-now.Ticks))*rate)
	if ahead := first.Nanos - ours; ahead > leastAhead || ahead < -leastAhead {
		return ahead
	}
	return 0
}

// monotonicOffset reads how far a process's monotonic clock is ahead of the system's, in nanoseconds; see
// time_namespaces(7).
func monotonicOffset(process string) (ns int64, ok bool) {
	text, err := os.ReadFile("/proc/" + process + "/timens_offsets")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		var clock string
		var seconds, rest int64
		if n, _ := fmt.Sscan(line, &clock, &seconds, &rest); n == 3 && clock == "monotonic" {
			return seconds*1e9 + rest, true
		}
	}
	return 0, false
}
