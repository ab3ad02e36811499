// The doorbell on macOS: a dispatch semaphore. It needs no descriptor; macOS has no unnamed POSIX semaphores.
#include <dispatch/dispatch.h>
#include "system/doorbell.h"

static dispatch_semaphore_t bell;
static _Atomic int pending;

bool mt_doorbell_make(void) {
  bell = dispatch_semaphore_create(0);
  return bell != NULL;
}

void mt_doorbell_ring(void) {
  if (!atomic_exchange_explicit(&pending, 1, memory_order_acq_rel)) dispatch_semaphore_signal(bell);
}

bool mt_doorbell_wait(int milliseconds) {
  dispatch_time_t until = milliseconds < 0 ? DISPATCH_TIME_FOREVER : dispatch_time(DISPATCH_TIME_NOW,
      (int64_t)milliseconds * 1000000);
  bool rang = dispatch_semaphore_wait(bell, until) == 0;
  if (rang) atomic_store_explicit(&pending, 0, memory_order_release);
  return rang;
}
