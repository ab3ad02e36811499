// The clock of a GPU's counter samples, which has a rate and a beginning of its own.
//
// Rule: it is compared with ours twice, far apart, and a sample's time is read off the line through the two. The second
// comparison is renewed as time continues, always after the samples it serves, so a sample lies between the two, or
// after the first by less than they are apart: what the line adds to the error of a comparison is no more than that
// error.
#ifndef MTRACE_GPUCLOCK_H
#define MTRACE_GPUCLOCK_H
#include <stdatomic.h>
#include <stdint.h>
#include "hook/objc.h"

struct mt_gpu_reading {
  uint64_t ticks, nanos;
};

// Memory order: as the clock sample of region.h, a seqlock; the flag keeps it to one writer.
struct mt_gpu_clock {
  struct mt_gpu_reading first;
  _Atomic uint64_t sequence, ticks, nanos;
  atomic_flag renewing;
};

// Compares the clocks for the first time. False when the device does not tell its time.
bool mt_gpu_clock_start(struct mt_gpu_clock *clock, id device);

// Compares them again, when it is time to.
void mt_gpu_clock_renew(struct mt_gpu_clock *clock, id device);

// A sample's time in nanoseconds on the clock of Metal's GPU times; 0 when the clocks were not compared twice.
uint64_t mt_gpu_clock_nanos(const struct mt_gpu_clock *clock, uint64_t ticks);
#endif
