package collector

// monotonicClock is CLOCK_UPTIME_RAW of <time.h>, on which Metal reports GPU times; with another clock GPU work would
// not line up with the calls.
const monotonicClock = 8
