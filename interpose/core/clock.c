// Takes clock samples: pairs of a tick count and the time in nanoseconds at the same moment. The collector converts
// ticks to nanoseconds with them.
//
// Memory order: the latest sample in the shared memory is a seqlock with one writer. Its sequence is odd while the
// writer changes the two words. The fence after the odd store, and the release of the even store, prevent the two
// words from being written outside that time. Otherwise the collector could combine the words of two samples.
#include "core/clock.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <dlfcn.h>
#include "system/originals.h"
#endif

uint32_t mt_clock_kind = MT_CLOCK_NANOSECONDS;
struct mt_clock_sample mt_clock_first;

#if defined(__linux__) && defined(__x86_64__)
static bool kernel_trusts_tsc(void) {
  char name[8] = {0};
  int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t n = read(fd, name, sizeof name - 1);
  close(fd);
  return n >= 3 && strncmp(name, "tsc", 3) == 0 && (name[3] == '\n' || name[3] == 0);
}
#endif

#ifdef __linux__
mt_clock_reader mt_clock_gettime = clock_gettime;

// Returns the kernel's own clock_gettime, which the kernel maps into each process (vdso(7)), or NULL. If it is NULL,
// the clock is read through the C library's function. That function may be a slow system call, and a library of the
// program may have replaced it.
static mt_clock_reader kernels_clock(void) {
#ifdef __x86_64__
  static const char name[] = "__vdso_clock_gettime";
#else
  static const char name[] = "__kernel_clock_gettime";
#endif
  void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
  mt_clock_reader found = vdso ? (mt_clock_reader)mt_dlsym_next()(vdso, name) : NULL;
  if (!found) dlerror(); // clear the error text: the program must not see it
  return found;
}
#endif

void mt_clock_start(void) {
  const char *forced = getenv("MTRACE_CLOCK");
  if (!forced || strcmp(forced, "nanoseconds") != 0) {
#if defined(__APPLE__)
    mt_clock_kind = MT_CLOCK_MACH;
#elif defined(__x86_64__)
    if (kernel_trusts_tsc()) mt_clock_kind = MT_CLOCK_TSC;
#endif
  }
#ifdef __linux__
  mt_clock_reader kernels = mt_clock_kind == MT_CLOCK_NANOSECONDS ? kernels_clock() : NULL;
  if (kernels) mt_clock_gettime = kernels;
#endif
  mt_clock_first = mt_clock_sample();
}

void mt_clock_timebase(uint32_t *numerator, uint32_t *denominator) {
  *numerator = *denominator = 1;
#ifdef __APPLE__
  mach_timebase_info_data_t base;
  if (mach_timebase_info(&base) == 0) {
    *numerator = base.numer;
    *denominator = base.denom;
  }
#endif
}

struct mt_clock_sample mt_clock_sample(void) {
  struct mt_clock_sample best = {0, 0};
  uint64_t tightest = UINT64_MAX;
  for (int i = 0; i < 5; i++) {
    uint64_t before = mt_ticks();
    uint64_t nanos = mt_nanos();
    uint64_t gap = mt_ticks() - before;
    if (gap < tightest) {
      tightest = gap;
      best.ticks = before + gap / 2;
      best.nanos = (int64_t)nanos;
    }
  }
  if (mt_clock_kind == MT_CLOCK_NANOSECONDS) best.ticks = (uint64_t)best.nanos;
  return best;
}

struct mt_clock_sample mt_clock_sample_into(struct region *region) {
  struct mt_clock_sample sample = mt_clock_sample();
  uint64_t sequence = atomic_load_explicit(&region->latest_sequence, memory_order_relaxed);
  atomic_store_explicit(&region->latest_sequence, sequence + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&region->latest_ticks, sample.ticks, memory_order_relaxed);
  atomic_store_explicit(&region->latest_nanos, sample.nanos, memory_order_relaxed);
  atomic_store_explicit(&region->latest_sequence, sequence + 2, memory_order_release);
  return sample;
}
