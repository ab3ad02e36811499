package collector

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// clockAhead is how far the monotonic clock of a process is ahead of ours, in nanoseconds: those of another time namespace count from
// another instant. 0 too when it cannot be seen.
func clockAhead(pid int) int64 {
	if pid == 0 {
		return 0
	}
	theirs, ok := monotonicOffset(strconv.Itoa(pid))
	ours, known := monotonicOffset("self")
	if !ok || !known {
		return 0
	}
	return theirs - ours
}

// monotonicOffset is how far a process's monotonic clock is ahead of the system's, in nanoseconds; see time_namespaces(7).
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
