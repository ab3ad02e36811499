package collector

import "golang.org/x/sys/unix"

// monotonicClock is the clock of Metal's GPU times.
const monotonicClock = unix.CLOCK_MONOTONIC
