// The raw clock. Rule: one reading per end of a call, no conversion: ticks become nanoseconds in the collector, by
// samples.
//
// Linux on x86-64 reads the TSC when the kernel itself keeps time by it, which it does only when all cores agree;
// otherwise clock_gettime, 22 ns instead of 10. macOS reads mach_absolute_time. MTRACE_CLOCK=nanoseconds forces
// clock_gettime. The reading is not serialized: an instruction may still be in flight, which blurs it by less than the
// counter's own cost.
#ifndef MTRACE_CLOCK_H
#define MTRACE_CLOCK_H
#include <stdint.h>
#include <time.h>
#include "system/hidden.h"
#include "core/region.h"
#ifdef __APPLE__
#include <mach/mach_time.h>
#endif

extern MT_HIDDEN uint32_t mt_clock_kind; // MT_CLOCK_*, chosen by mt_clock_start

struct mt_clock_sample {
  uint64_t ticks;
  int64_t nanos;
};

// The first clock sample, taken when the library was loaded: the longer the distance to a later one, the more exact the
// rate.
extern struct mt_clock_sample mt_clock_first;

#ifdef __linux__
// The kernel's own clock_gettime, once mt_clock_start has found it; before that the C library's.
typedef int (*mt_clock_reader)(clockid_t, struct timespec *);
extern MT_HIDDEN mt_clock_reader mt_clock_gettime;
#endif

// The clock of Metal's GPU times.
static inline uint64_t mt_nanos(void) {
#ifdef __APPLE__
  return clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
#else
  struct timespec t;
  mt_clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

// Which clock this process uses, on systems that have a choice; and a reading of that clock.
#if defined(__APPLE__)
#define MT_CLOCK_QUICK MT_CLOCK_MACH
static inline uint64_t mt_ticks_quick(void) { return mach_absolute_time(); }
#elif defined(__x86_64__)
#define MT_CLOCK_QUICK MT_CLOCK_TSC
static inline uint64_t mt_ticks_quick(void) { return __builtin_ia32_rdtsc(); }
#else
#define MT_CLOCK_QUICK MT_CLOCK_NANOSECONDS
static inline uint64_t mt_ticks_quick(void) { return mt_nanos(); }
#endif

static inline uint64_t mt_ticks(void) { return __builtin_expect(mt_clock_kind == MT_CLOCK_QUICK, 1) ? mt_ticks_quick() :
    mt_nanos(); }

// Chooses the clock and takes the first sample.
void mt_clock_start(void);

// The number of nanoseconds per tick of MT_CLOCK_MACH, as a fraction; 1/1 for the other clocks.
void mt_clock_timebase(uint32_t *numerator, uint32_t *denominator);

// Takes a clock sample: of several pairs of readings, the pair whose readings are closest together.
struct mt_clock_sample mt_clock_sample(void);

// Takes a clock sample and writes it into the region as the latest sample. One writer at a time: the first Metal call,
// then the drainer.
struct mt_clock_sample mt_clock_sample_into(struct region *region);
#endif
