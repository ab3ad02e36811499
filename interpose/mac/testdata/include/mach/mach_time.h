// What the files for macOS use of Apple's header of that name.
//
// Rule: a tick is numer/denom nanoseconds: 125/3 on Apple silicon, 24 million ticks a second, and 1/1 on Intel and under Rosetta.
// MAC_TICKS_PER_SECOND says which.
#ifndef FAKE_MACH_TIME_H
#define FAKE_MACH_TIME_H
#include <stdint.h>

typedef struct mach_timebase_info {
  uint32_t numer, denom;
} mach_timebase_info_data_t;

uint64_t mach_absolute_time(void);
int mach_timebase_info(mach_timebase_info_data_t *base);
#endif
