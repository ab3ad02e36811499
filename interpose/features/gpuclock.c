// Compares the processor's clock with the GPU's (gpuclock.h). Metal's sampleTimestamps:gpuTimestamp: reads the
// processor's and the GPU's clock at one instant, but the unit of the processor's time differs between devices.
// Therefore the tracer ignores that time and reads its own clock before and after the call.
#include "features/gpuclock.h"
#include "core/clock.h"
#include "hook/install.h"

enum { FIRST_TRIES = 5, MOST_TRIES = 40, RENEW_NANOS = 100000000, LONGEST_READING_NANOS = 20000 };

static bool read_both(id device, struct mt_gpu_reading *reading, uint64_t *took) {
  static const char name[] = "sampleTimestamps:gpuTimestamp:";
  void (*sample)(id, SEL, uint64_t *, uint64_t *) = (void (*)(id, SEL, uint64_t *, uint64_t *))mt_original(&device,
      name);
  if (!sample) return false;
  SEL selector = mt_selector(name);
  uint64_t processor = 0, ticks = 0, before = mt_nanos();
  sample(device, selector, &processor, &ticks);
  *took = mt_nanos() - before;
  *reading = (struct mt_gpu_reading){ticks, before + *took / 2};
  return ticks != 0;
}

// Reads both clocks several times and stores the quickest reading, which has the smallest error. Reads up to
// MOST_TRIES times if every reading was interrupted. Returns false if the device does not report its time.
static bool read_well(id device, struct mt_gpu_reading *best) {
  uint64_t shortest = UINT64_MAX, took;
  for (int i = 0; i < FIRST_TRIES || (i < MOST_TRIES && shortest > LONGEST_READING_NANOS); i++) {
    struct mt_gpu_reading reading;
    if (!read_both(device, &reading, &took)) return false;
    if (took < shortest) {
      shortest = took;
      *best = reading;
    }
  }
  return true;
}

bool mt_gpu_clock_start(struct mt_gpu_clock *clock, id device) { return read_well(device, &clock->first); }

// Makes or replaces the second comparison of the two clocks. An existing one is replaced if it is older than
// RENEW_NANOS, or was made less than RENEW_NANOS after the first comparison. The first time, the best of several
// readings is used: an error in it shifts all early samples, which then seem to lie outside of their command buffer.
// Later one reading is enough; it is discarded if the thread was interrupted during it.
void mt_gpu_clock_renew(struct mt_gpu_clock *clock, id device) {
  uint64_t now = mt_nanos(), last = atomic_load_explicit(&clock->nanos, memory_order_relaxed);
  if (last > clock->first.nanos + RENEW_NANOS && now < last + RENEW_NANOS) return;
  if (atomic_flag_test_and_set_explicit(&clock->renewing, memory_order_acquire)) return;
  struct mt_gpu_reading reading;
  uint64_t took;
  if (last == 0 ? read_well(device, &reading) : read_both(device, &reading, &took) && took < LONGEST_READING_NANOS) {
    uint64_t sequence = atomic_load_explicit(&clock->sequence, memory_order_relaxed);
    atomic_store_explicit(&clock->sequence, sequence + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&clock->ticks, reading.ticks, memory_order_relaxed);
    atomic_store_explicit(&clock->nanos, reading.nanos, memory_order_relaxed);
    atomic_store_explicit(&clock->sequence, sequence + 2, memory_order_release);
  }
  atomic_flag_clear_explicit(&clock->renewing, memory_order_release);
}

static struct mt_gpu_reading latest(const struct mt_gpu_clock *clock) {
  struct mt_gpu_reading reading;
  uint64_t before, after;
  do {
    before = atomic_load_explicit(&clock->sequence, memory_order_acquire);
    reading.ticks = atomic_load_explicit(&clock->ticks, memory_order_relaxed);
    reading.nanos = atomic_load_explicit(&clock->nanos, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    after = atomic_load_explicit(&clock->sequence, memory_order_relaxed);
  } while (before != after || before & 1);
  return reading;
}

// Computes the time starting from the second comparison, because it is closer to the sample: an error of the clock
// rate then matters less.
uint64_t mt_gpu_clock_nanos(const struct mt_gpu_clock *clock, uint64_t ticks) {
  struct mt_gpu_reading last = latest(clock);
  if (last.nanos <= clock->first.nanos || last.ticks <= clock->first.ticks) return 0;
  double rate = (double)(last.nanos - clock->first.nanos) / (double)(last.ticks - clock->first.ticks);
  double away = (double)(int64_t)(ticks - last.ticks) * rate, nanos = (double)last.nanos + away;
  return nanos > 0 && nanos < 9e18 ? last.nanos + (uint64_t)(int64_t)away : 0;
}
