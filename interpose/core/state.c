// See state.h.
#include "core/state.h"
#include <stdbool.h>
#include "core/children.h"
#include "core/region.h"

_Atomic int mt_state = MT_OFF;
static _Atomic bool counted;

void mt_state_count_fork(void) {
  if (!mt_region || atomic_exchange_explicit(&counted, true, memory_order_relaxed)) return;
  // This process adds to forks and then reads ended; the collector sets ended and then reads forks. All four operations
  // are sequentially consistent, so either the collector counts this fork, or this process sees ended. With a weaker
  // order both could miss it, and the child would not be reported.
  atomic_fetch_add(&mt_region->forks, 1);
  if (atomic_load(&mt_region->ended)) mt_children_note(MT_CHILD_FORKED);
}

void mt_state_forked(void) { atomic_store_explicit(&counted, false, memory_order_relaxed); }
