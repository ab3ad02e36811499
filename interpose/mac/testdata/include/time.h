// What Apple's header has beside POSIX. Rule, of Libc's gen/clock_gettime.c: the clock that stops while the machine sleeps is
// mach_absolute_time in nanoseconds; 0 and EINVAL for a clock that is none.
#include_next <time.h>
#ifndef FAKE_TIME_H
#define FAKE_TIME_H
#include <stdint.h>

#define CLOCK_UPTIME_RAW 8
uint64_t clock_gettime_nsec_np(clockid_t clock);
#endif
