// Converts the times of a GPU's counter samples to the processor's clock. The GPU's clock has its own rate and
// starting point.
//
// Rule: the two clocks are compared twice, with much time in between, and a sample's time is computed on the straight
// line through the two comparisons. The second comparison is renewed as time passes, always after the samples that use
// it were taken. A sample therefore lies between the two comparisons, or after the second one by at most the time
// between them. So the line at most doubles the error of a comparison.
#ifndef MTRACE_GPUCLOCK_H
#define MTRACE_GPUCLOCK_H
#include <stdatomic.h>
#include <stdint.h>
#include "hook/objc.h"

struct mt_gpu_reading {
  uint64_t ticks, nanos;
};

// Memory order: sequence, ticks and nanos are a seqlock, like the clock sample of region.h. The flag renewing ensures
// that only one thread writes them.
struct mt_gpu_clock {
  struct mt_gpu_reading first;
  _Atomic uint64_t sequence, ticks, nanos;
  atomic_flag renewing;
};

// Compares the two clocks for the first time. Returns false when the device does not report its time.
bool mt_gpu_clock_start(struct mt_gpu_clock *clock, id device);

// Compares the two clocks again if the last comparison is too old.
void mt_gpu_clock_renew(struct mt_gpu_clock *clock, id device);

// Converts a sample's ticks to nanoseconds on the clock of Metal's GPU times; returns 0 if the clocks were not
// compared twice yet.
uint64_t mt_gpu_clock_nanos(const struct mt_gpu_clock *clock, uint64_t ticks);
#endif
