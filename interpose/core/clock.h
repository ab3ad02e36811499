// The raw clock of the records. Rule: read the clock once at the begin and once at the end of a call, and store the
// raw ticks. The collector converts ticks to nanoseconds with clock samples, so no traced thread spends time on it.
//
// Linux on x86-64 reads the TSC (10 ns) if the kernel itself keeps time by the TSC; otherwise clock_gettime (22 ns).
// The kernel uses the TSC only when all cores agree on it. macOS reads mach_absolute_time. MTRACE_CLOCK=nanoseconds
// forces clock_gettime. The reading is not protected by a serializing instruction: such an instruction would cost more
// time than the error it avoids.
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

// The clock sample taken when the library was loaded. The collector computes the tick rate from this and a later
// sample: the more time between the two, the more exact the rate.
extern struct mt_clock_sample mt_clock_first;

#ifdef __linux__
// The type of mt_clock_gettime, the function that reads the clock. It is the C library's clock_gettime, until
// mt_clock_start has found the kernel's clock_gettime in the vDSO.
typedef int (*mt_clock_reader)(clockid_t, struct timespec *);
extern MT_HIDDEN mt_clock_reader mt_clock_gettime;
#endif

// Returns the time in nanoseconds on the clock of Metal's GPU times (GPUStartTime), so that calls and GPU work can be
// compared.
static inline uint64_t mt_nanos(void) {
#ifdef __APPLE__
  return clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
#else
  struct timespec t;
  mt_clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

// MT_CLOCK_QUICK names the fast clock of this system, and mt_ticks_quick reads it. A process uses either this clock
// or clock_gettime: see mt_clock_kind.
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

// Chooses this process's clock and takes the first clock sample. Call it before any record is written: all records of
// a process must use the same clock.
void mt_clock_start(void);

// Returns, as a fraction, how many nanoseconds one tick of mach_absolute_time lasts. Returns 1/1 for the other
// clocks, whose rate comes from clock samples.
void mt_clock_timebase(uint32_t *numerator, uint32_t *denominator);

// Takes a clock sample. It reads ticks, nanoseconds and ticks again several times, and returns the reading that took
// the least time.
struct mt_clock_sample mt_clock_sample(void);

// Takes a clock sample and stores it in the shared memory as the latest sample. Only one thread may call it at a time,
// because the seqlock has one writer: first the thread of the first Metal call, later the tracer's own thread.
struct mt_clock_sample mt_clock_sample_into(struct region *region);
#endif
