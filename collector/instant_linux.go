package collector

import "golang.org/x/sys/unix"

// monotonicClock is the clock on which the software Metal for Linux reports GPU times.
const monotonicClock = unix.CLOCK_MONOTONIC
