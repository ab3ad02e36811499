// See alive.h.
#include "features/alive.h"
#include "core/identity.h"

// The numbers of the objects that were freed most recently, indexed by the number's lowest bits. If the
// tracer is notified of the same free twice, it is counted only once.
enum { RECENT_BITS = 12 };
static _Atomic uint32_t recent[1 << RECENT_BITS];

void mt_alive_made(const struct thread *t, id object, _Atomic uint64_t *made, _Atomic uint64_t *most,
    const _Atomic uint64_t *freed, bool hooked) {
  if (!object || !hooked || t->canary) return;
  uint64_t all = atomic_fetch_add_explicit(made, 1, memory_order_relaxed) + 1;
  uint64_t gone = atomic_load_explicit(freed, memory_order_relaxed);
  uint64_t before = atomic_load_explicit(most, memory_order_relaxed);
  while (all > gone && all - gone > before &&
         !atomic_compare_exchange_weak_explicit(most, &before, all - gone, memory_order_relaxed,
             memory_order_relaxed)) {
  }
}

void mt_alive_freed(id self, _Atomic uint64_t *freed) {
  struct thread *t = mt_thread_get(); // a thread that only frees needs no ring
  if ((uintptr_t)t > (uintptr_t)MT_THREAD_GONE && t->canary) return;
  uint32_t number = mt_identity_known(self);
  if (!number) return;
  _Atomic uint32_t *place = &recent[number & ((1 << RECENT_BITS) - 1)];
  if (atomic_exchange_explicit(place, number, memory_order_relaxed) != number) mt_count(freed);
}

// Returns how many objects are alive. Other threads change the two counters between the two reads. Reading `freed`
// first means that the result may be too high, but is rarely below zero.
static uint64_t alive(const _Atomic uint64_t *made, const _Atomic uint64_t *freed) {
  uint64_t gone = atomic_load_explicit(freed, memory_order_relaxed);
  uint64_t all = atomic_load_explicit(made, memory_order_relaxed);
  return all > gone ? all - gone : 0;
}

void mt_alive_sample(struct thread *t, uint64_t now) {
  struct record records[2] = {{.begin = now, .end = now, .call = MT_CALL_tracer_alive, .flags = MT_FLAG_HAS_MORE,
      .arg = alive(&mt_region->buffers_made, &mt_region->buffers_freed)}};
  records[1] = (struct record){.begin = alive(&mt_region->encoders_made, &mt_region->encoders_freed),
      .call = MT_CALL_tracer_more};
  mt_thread_publish(t, records, 2);
}
