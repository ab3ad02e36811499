// macOS: records waits for condition variables, and the threads that signal them. locks_darwin.c describes how
// functions are replaced.
//
// The number of a condition variable's waiters is not visible here, so every signal is noted. Semaphores and groups are
// in semaphores_darwin.c.
#include <dispatch/dispatch.h>
#include <errno.h>
#include "waits/handoff.h"
#include "waits/locks.h"
#include "waits/queues.h"
#include "stacks/stack.h"

#define WAIT(call, condition, mutex, as_lock, ...)                                                              \
  if (!mt_locks_on()) return call(condition, __VA_ARGS__);                                                      \
  bool interpreters = mt_lock_is_interpreters(condition);                                                       \
  if (!interpreters && !mt_signals_on()) {                                                                      \
    int inside = call(condition, __VA_ARGS__);                                                                  \
    mt_lock_taken(mutex, false);                                                                                \
    return inside;                                                                                              \
  }                                                                                                             \
  mt_lock_releasing(mutex); \
  uint64_t begin = mt_wait_begin(interpreters ? as_lock : MT_CALL_signal_##call, condition, 0, \
      __builtin_frame_address(0), interpreters); \
  int result = call(condition, __VA_ARGS__);                                                                    \
  mt_wait_hide();                                                                                               \
  mt_lock_taken(mutex, false);                                                                                  \
  if (interpreters)                                                                                             \
    mt_lock_waited(as_lock, condition, mutex, begin, 0, __builtin_return_address(0));                           \
  else if (result == 0 || result == ETIMEDOUT)                                                                  \
    mt_signal_waited(MT_CALL_signal_##call, condition, mutex, begin, result != 0, __builtin_return_address(0)); \
  return result

static int cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) { WAIT(pthread_cond_wait, condition, mutex,
    MT_CALL_lock_pthread_cond_wait, mutex); }
static int cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  WAIT(pthread_cond_timedwait, condition, mutex, MT_CALL_lock_pthread_cond_timedwait, mutex, until);
}
static int cond_timedwait_relative(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
  WAIT(pthread_cond_timedwait_relative_np, condition, mutex, MT_CALL_lock_pthread_cond_timedwait, mutex, time);
}

#define SIGNAL(call, condition) \
  if (mt_locks_on() && !mt_lock_known_interpreters(condition)) mt_handoff_give(condition, true); \
  return call(condition)

static int cond_signal(pthread_cond_t *condition) { SIGNAL(pthread_cond_signal, condition); }
static int cond_broadcast(pthread_cond_t *condition) { SIGNAL(pthread_cond_broadcast, condition); }

static intptr_t semaphore_wait_on(dispatch_semaphore_t semaphore, dispatch_time_t until) {
  if (!mt_locks_on()) return dispatch_semaphore_wait(semaphore, until);
  return mt_semaphore_wait(semaphore, until, __builtin_frame_address(0), __builtin_return_address(0));
}
static intptr_t semaphore_signal(dispatch_semaphore_t semaphore) { return mt_locks_on() ?
    mt_semaphore_signal(semaphore) : dispatch_semaphore_signal(semaphore); }
static intptr_t group_wait(dispatch_group_t group, dispatch_time_t until) {
  if (!mt_signals_on()) return dispatch_group_wait(group, until);
  return mt_group_wait(group, until, __builtin_frame_address(0), __builtin_return_address(0));
}
static void group_leave(dispatch_group_t group) { mt_locks_on() ? mt_group_leave(group) : dispatch_group_leave(group); }

__attribute__((used, section("__DATA,__interpose"))) static const struct {
  const void *replacement, *original;
} signal_pairs[] = {
    {(const void *)cond_wait, (const void *)pthread_cond_wait},
    {(const void *)cond_timedwait, (const void *)pthread_cond_timedwait},
    {(const void *)cond_timedwait_relative, (const void *)pthread_cond_timedwait_relative_np},
    {(const void *)cond_signal, (const void *)pthread_cond_signal},
    {(const void *)cond_broadcast, (const void *)pthread_cond_broadcast},
    {(const void *)semaphore_wait_on, (const void *)dispatch_semaphore_wait},
    {(const void *)semaphore_signal, (const void *)dispatch_semaphore_signal},
    {(const void *)group_wait, (const void *)dispatch_group_wait},
    {(const void *)group_leave, (const void *)dispatch_group_leave},
};
