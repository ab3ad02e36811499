// See state.h.
#include "core/state.h"
#include <stdbool.h>
#include "core/region.h"

_Atomic int mt_state = MT_OFF;
static _Atomic bool counted;

void mt_state_count_fork(void) {
  if (mt_region && !atomic_exchange_explicit(&counted, true, memory_order_relaxed)) mt_count(&mt_region->forks);
}

void mt_state_forked(void) { atomic_store_explicit(&counted, false, memory_order_relaxed); }
