package collector

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"mtrace/collector/wire"
)

// clockAhead returns how far the process's monotonic clock is ahead of the collector's, in nanoseconds: in another
// time namespace the clock has another zero. It returns 0 if the offset cannot be read, for instance because the
// process has ended.
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
		return aheadByTicks(t.collector.began, first)
	}
	return 0
}

// leastAhead is the smallest offset, in nanoseconds, that aheadByTicks reports. Smaller differences may be errors
// of the estimate, and would wrongly shift all times of the process. Offsets that users set are larger.
const leastAhead = int64(time.Second)

// aheadByTicks estimates the offset that clockAhead returns, if /proc does not show it. The processor's tick
// counter is the same for all processes. So a sample in which the process read the counter and its monotonic
// clock shows how far that clock is ahead. began is the collector's own first sample, and first the process's.
func aheadByTicks(began, first wire.ClockSample) int64 {
	now, ok := sampleClock(wire.ClockTSC)
	if !ok || now.Ticks <= began.Ticks {
		return 0
	}
	rate := float64(now.Nanos-began.Nanos) / float64(now.Ticks-began.Ticks)
	ours := now.Nanos + int64(float64(int64(first.Ticks-now.Ticks))*rate)
	if ahead := first.Nanos - ours; ahead > leastAhead || ahead < -leastAhead {
		return ahead
	}
	return 0
}

// monotonicOffset reads how far a process's monotonic clock is ahead of the machine's, in nanoseconds, from
// /proc/PID/timens_offsets (see time_namespaces(7)). ok is false if the file cannot be read or lacks it.
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
