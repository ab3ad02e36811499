package collector

// monotonicClock is the clock of Metal's GPU times, CLOCK_UPTIME_RAW of <time.h>.
const monotonicClock = 8
