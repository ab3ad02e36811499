// See memory.h.
#include "memory.h"
#include "classes.h"
#include "clock.h"
#include "identity.h"
#include "thread.h"

enum { PAUSE_NANOS = 1000000 };

// So many ticks are less than the pause on any clock: Apple silicon's has 24 million a second, x86-64's counters a billion at least.
#ifdef __APPLE__
enum { FEW_TICKS = 20000 };
#else
enum { FEW_TICKS = 1000000 };
#endif

// Is it time, and is nobody else at it? The call's own reading of the clock says mostly that it is not: another would cost
// each completion as much as its records do.
static bool due(uint64_t ticks) {
  static _Atomic uint64_t looked, next;
  if (ticks - atomic_load_explicit(&looked, memory_order_relaxed) < FEW_TICKS) return false;
  atomic_store_explicit(&looked, ticks, memory_order_relaxed);
  uint64_t now = mt_nanos(), at = atomic_load_explicit(&next, memory_order_relaxed);
  return now >= at && atomic_compare_exchange_strong_explicit(&next, &at, now + PAUSE_NANOS, memory_order_relaxed, memory_order_relaxed);
}

static void sample(struct thread *t, id device, uint64_t now) {
  static const char selector[] = "currentAllocatedSize";
  uint32_t number = mt_identity_of(device);
  IMP found = mt_implementation(device, selector);
  if (!found && (device = mt_wrapped_by(device, MT_FAMILY_device))) found = mt_implementation(device, selector);
  if (!found) return;
  NSUInteger bytes = ((NSUInteger(*)(id, SEL))found)(device, sel_registerName(selector));
  struct record record = {.begin = now, .end = now, .arg = bytes, .object = number, .call = MT_CALL_tracer_allocated};
  mt_thread_publish(t, &record, 1);
}

void mt_memory_sample(struct thread *t, id device, uint64_t now) {
  if (!t->canary && due(now)) sample(t, device, now);
}

void mt_memory_sample_of(struct thread *t, id command_buffer, uint64_t now) {
  if (!due(now)) return;
  id device = mt_send_id(command_buffer, "device");
  if (device) sample(t, device, now);
}
