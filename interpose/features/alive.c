// See alive.h.
#include "features/alive.h"
#include "core/identity.h"

// The numbers of the command buffers that were freed most recently, indexed by the number's lowest bits. If the
// tracer is notified of the same free twice, it is counted only once.
enum { RECENT_BITS = 12 };
static _Atomic uint32_t recent[1 << RECENT_BITS];

void mt_alive_made(const struct thread *t, id made, bool hooked) {
  if (!made || !hooked || t->canary) return;
  uint64_t all = atomic_fetch_add_explicit(&mt_region->buffers_made, 1, memory_order_relaxed) + 1;
  uint64_t gone = atomic_load_explicit(&mt_region->buffers_freed, memory_order_relaxed);
  uint64_t most = atomic_load_explicit(&mt_region->buffers_most, memory_order_relaxed);
  while (all > gone && all - gone > most &&
         !atomic_compare_exchange_weak_explicit(&mt_region->buffers_most, &most, all - gone, memory_order_relaxed,
             memory_order_relaxed)) {
  }
}

void mt_alive_freed(id self) {
  struct thread *t = mt_thread_get(); // a thread that only frees needs no ring
  if ((uintptr_t)t > (uintptr_t)MT_THREAD_GONE && t->canary) return;
  uint32_t number = mt_identity_known(self);
  if (!number) return;
  _Atomic uint32_t *place = &recent[number & ((1 << RECENT_BITS) - 1)];
  if (atomic_exchange_explicit(place, number, memory_order_relaxed) != number) mt_count(&mt_region->buffers_freed);
}
