// The clock of a GPU's counter samples, which has its own rate and zero.
//
// Rule: it is compared with the tracer's clock twice, far apart, and a sample's time is computed on the line through
// the two comparisons. The second comparison is renewed as time passes, always after the samples that it serves. A
// sample is therefore between the two, or after the first by less than their distance, so the line at most doubles the
// error of a comparison.
#ifndef MTRACE_GPUCLOCK_H
#define MTRACE_GPUCLOCK_H
#include <stdatomic.h>
#include <stdint.h>
#include "hook/objc.h"

struct mt_gpu_reading {
  uint64_t ticks, nanos;
};

// Memory order: a seqlock, like the clock sample of region.h; the flag ensures that there is one writer.
struct mt_gpu_clock {
  struct mt_gpu_reading first;
  _Atomic uint64_t sequence, ticks, nanos;
  atomic_flag renewing;
};

// Compares the clocks for the first time. Returns false when the device does not report its time.
bool mt_gpu_clock_start(struct mt_gpu_clock *clock, id device);

// Compares the clocks again if that is due.
void mt_gpu_clock_renew(struct mt_gpu_clock *clock, id device);

// Returns a sample's time in nanoseconds on the clock of Metal's GPU times; 0 if the clocks were not compared twice.
uint64_t mt_gpu_clock_nanos(const struct mt_gpu_clock *clock, uint64_t ticks);
#endif
