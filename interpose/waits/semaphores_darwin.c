// Dispatch semaphores and groups, for macOS and for a test with the dispatch library of another system: see queues.h.
//
// The number of waiting threads is not visible here, so every signal is noted. If the thread that releases a semaphore
// had acquired it, the semaphore is used as a lock. Then a wait for it is recorded as a wait for a lock, even inside
// Metal's calls. The last thread to leave a group wakes the threads that wait for the group. If the last to leave is a
// block that dispatch itself has put into the group (dispatch_group_async), the waking thread is unknown.
#include "core/clock.h"
#include "waits/handoff.h"
#include "waits/locks.h"
#include "waits/queues.h"
#include "stacks/stack.h"

enum { NOW = 0 }; // DISPATCH_TIME_NOW

// Waits for a semaphore as dispatch_semaphore_wait does, and records the wait. The semaphore is tried first, and the
// clock is read only if the thread must wait.
intptr_t mt_semaphore_wait(void *semaphore, uint64_t until, const void *frame, void *waiter) {
  intptr_t result = mt_dispatch.semaphore_wait(semaphore, NOW);
  if (result == 0) mt_handoff_take(semaphore, false);
  if (result == 0 || until == NOW) return result;
  uint64_t begin = mt_wait_begin(MT_CALL_signal_dispatch_semaphore_wait, semaphore, mt_handoff_taker(semaphore), frame,
      false);
  result = mt_dispatch.semaphore_wait(semaphore, until);
  mt_wait_hide();
  struct handoff by = result == 0 ? mt_handoff_read(semaphore, begin, mt_ticks()) : (struct handoff){0};
  if (result == 0) mt_handoff_take(semaphore, true);
  if (by.given_back)
    mt_lock_waited(MT_CALL_lock_dispatch_semaphore_wait, semaphore, semaphore, begin, by.by, waiter);
  else if (mt_signals_on())
    mt_signal_waited(MT_CALL_signal_dispatch_semaphore_wait, semaphore, NULL, begin, result != 0, waiter);
  return result;
}

intptr_t mt_semaphore_signal(void *semaphore) {
  mt_lock_releasing(semaphore);
  mt_handoff_give(semaphore, true);
  intptr_t result = mt_dispatch.semaphore_signal(semaphore);
  mt_lock_given_back(semaphore);
  return result;
}

intptr_t mt_group_wait(void *group, uint64_t until, const void *frame, void *waiter) {
  intptr_t result = mt_dispatch.group_wait(group, NOW);
  if (result == 0 || until == NOW) return result;
  uint64_t begin = mt_wait_begin(MT_CALL_signal_dispatch_group_wait, group, 0, frame, false);
  result = mt_dispatch.group_wait(group, until);
  mt_wait_hide();
  mt_signal_waited(MT_CALL_signal_dispatch_group_wait, group, NULL, begin, result != 0, waiter);
  return result;
}

void mt_group_leave(void *group) {
  mt_handoff_give(group, true);
  mt_dispatch.group_leave(group);
}
