// Wakes a drainer that sleeps without a time limit (see doorbell.h). If several threads find it asleep at once, only
// the first one rings, because ringing is a system call.
#include "system/doorbell.h"
#include <errno.h>

_Atomic int mt_drainer_sleeps;

void mt_doorbell_wake(void) {
  if (!atomic_exchange_explicit(&mt_drainer_sleeps, 0, memory_order_relaxed)) return;
  int saved = errno;
  mt_doorbell_ring();
  errno = saved;
}
