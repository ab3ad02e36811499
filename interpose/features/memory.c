// See memory.h.
#include "features/memory.h"
#include "features/alive.h"
#include "features/completion.h"
#include "hook/classes.h"
#include "core/clock.h"
#include "core/identity.h"
#include "hook/install.h"
#include "core/thread.h"

enum { PAUSE_NANOS = 1000000 };

_Atomic uint64_t mt_memory_looked;
static const char selector[] = "currentAllocatedSize";

// The method currentAllocatedSize of each hooked class of devices, indexed by the class's place in the table of
// classes. NULL if the class lacks it, as a wrapper's class does; the size is then read from the device inside the
// wrapper.
static NSUInteger (*allocated_by[MT_CLASSES])(id, SEL);

void mt_memory_see(unsigned slot, Class class, unsigned family) {
  if (family == MT_FAMILY_device) allocated_by[slot] = (NSUInteger(*)(id, SEL))mt_original_of(class,
      mt_selector(selector));
}

// Returns true if a sample is due and the calling thread must take it: only one of several threads takes each sample.
static bool due(uint64_t ticks) {
  static _Atomic uint64_t next;
  atomic_store_explicit(&mt_memory_looked, ticks, memory_order_relaxed);
  uint64_t now = mt_nanos(), at = atomic_load_explicit(&next, memory_order_relaxed);
  return now >= at && atomic_compare_exchange_strong_explicit(&next, &at, now + PAUSE_NANOS, memory_order_relaxed,
      memory_order_relaxed);
}

static NSUInteger (*allocated_of(id device))(id, SEL) {
  const struct class_entry *class = mt_class_find(objc_class_of(device), MT_FAMILY_device);
  return class ? allocated_by[mt_class_index(class)] : (NSUInteger(*)(id, SEL))mt_implementation(device, selector);
}

void mt_memory_sample(struct thread *t, id device, uint64_t now) {
  if (!device || t->canary || !mt_memory_due(now) || !due(now)) return;
  mt_alive_sample(t, now);
  uint32_t number = mt_identity_of(device);
  NSUInteger (*allocated)(id, SEL) = allocated_of(device);
  if (!allocated && (device = mt_wrapped_by(device, MT_FAMILY_device))) allocated = allocated_of(device);
  if (!allocated) return;
  struct record record = {.begin = now, .end = now, .arg = allocated(device, mt_selector(selector)), .object = number,
      .call = MT_CALL_tracer_allocated};
  mt_thread_publish(t, &record, 1);
}

void mt_memory_completed(struct thread *t, const struct mt_completed *completed) {
  if (!mt_memory_due(completed->at)) return;
  // The thread of Metal's completion queue may have no autorelease pool, and the getters may autorelease: without
  // this pool the objects would never be freed (ggml-org/llama.cpp#27883).
  void *pool = mt_pool_push();
  mt_memory_sample(t, mt_completed_device(completed), completed->at);
  mt_pool_pop(pool);
}
