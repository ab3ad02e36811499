// Linux: records waits for locks and signals. The functions exported here are found before the C library's, because
// the library is preloaded. Rule: the lock's own trylock decides whether a thread must wait, whatever kind of lock it
// is (recursive, robust, error-checking). Only if trylock does not acquire it at once, lock is called.
//
// Condition variables have no trylock, and a thread that waits for one sleeps in any case, so the clock is read
// around every wait. Signalling a condition variable without waiters is common and costs the C library one load; the
// replacement adds another load of the same word and a few stores to the thread's own memory.
//
// A thread may be cancelled inside a wait. The replacements hold nothing that must be released then; the thread
// unwinds through them, and the wait is not recorded. A semaphore's wait is a cancellation point even if the
// semaphore is free, so cancellation is tested first.
#include <errno.h>
#include <semaphore.h>
#include "core/clock.h"
#include "waits/handoff.h"
#include "waits/locks.h"
#include "waits/replaced.h"
#include "stacks/python.h"
#include "stacks/stack.h"
#include "system/originals.h"

#define EXPORT __attribute__((visibility("default")))
#define SELDOM __attribute__((noinline, cold))

// Return the thread that holds a lock, as the C library stores it in the lock; 0 if no thread holds it. The C library
// stores no thread for an elided mutex (one taken by a hardware transaction).
static uint64_t owner_of(const pthread_mutex_t *mutex) { return (uint32_t)__atomic_load_n(&mutex->__data.__owner,
    __ATOMIC_RELAXED); }
static uint64_t writer_of(const pthread_rwlock_t *lock) { return (uint32_t)__atomic_load_n(&lock->__data.__cur_writer,
    __ATOMIC_RELAXED); }

bool mt_waits_replaced(void) { return true; } // a preloaded library comes before the C library

// Defines the replacement of a lock function. The rare paths are separate functions, so that a thread that finds the
// lock free saves no registers for them. The GIL does not count as touched (handoff.h), because all Python threads
// lock it constantly.
#define LOCK(call, type, try, holder) \
  static SELDOM int call##_waits(type *lock, const void *frame, const void *waiter) { \
    if (mt_locks_own()) return ORIGINAL(call)(lock); \
    mt_thread(); /* take the ring now: later, that would lengthen the time that the thread holds the lock */ \
    bool interpreters = mt_python_has(lock); \
    uint64_t held_by = holder(lock), begin = mt_wait_begin(MT_CALL_lock_##call, lock, held_by, frame, interpreters); \
    int result = ORIGINAL(call)(lock); \
    mt_wait_hide(); \
    if (result == 0 && !interpreters) mt_handoff_touch(lock); \
    mt_lock_waited(MT_CALL_lock_##call, lock, lock, begin, held_by, waiter); \
    return result; \
  } \
  static SELDOM int call##_untried(type *lock) { return ORIGINAL(call)(lock); } \
  EXPORT int call(type *lock) { \
    __typeof__(&try) tries = FOUND(try); \
    if (!tries || !mt_locks_on()) return call##_untried(lock); \
    int result = tries(lock); \
    if (__builtin_expect(result != 0, 0)) \
      return result == EBUSY ? call##_waits(lock, __builtin_frame_address(0), __builtin_return_address(0)) : result; \
    if (!mt_python_has(lock)) mt_handoff_touch(lock); \
    return 0; \
  }

LOCK(pthread_mutex_lock, pthread_mutex_t, pthread_mutex_trylock, owner_of)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_t, pthread_rwlock_tryrdlock, writer_of)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t, pthread_rwlock_trywrlock, writer_of)

// Defines the replacement of an unlock function. It writes the waits that were stored until this release. There is a
// second reason to replace unlock: all code, Go's included, must call the replacements of both lock and unlock.
// Otherwise a sanitizer's library in front of this one would see releases of locks that were never acquired. The lock
// must not be touched after its release, because the next owner may have freed it.
#define UNLOCK(call, type, before) \
  static SELDOM int call##_concerns(type *lock) { \
    mt_lock_releasing(lock); \
    int result = ORIGINAL(call)(lock); \
    mt_lock_given_back(lock); \
    return result; \
  } \
  EXPORT int call(type *lock) { \
    before; \
    __typeof__(&call) original = FOUND(call); \
    return __builtin_expect(original && !mt_lock_concerns(lock), 1) ? original(lock) : call##_concerns(lock); \
  }

UNLOCK(pthread_mutex_unlock, pthread_mutex_t, )
UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t, )

#define WAIT(call, condition, mutex, as_lock, ...)                                                              \
  if (!mt_locks_on()) return ORIGINAL(call)(condition, __VA_ARGS__);                                            \
  bool interpreters = mt_lock_is_interpreters(condition);                                                       \
  if (!interpreters && !mt_signals_on()) return ORIGINAL(call)(condition, __VA_ARGS__);                         \
  mt_lock_releasing(mutex); \
  uint64_t begin = mt_wait_begin(interpreters ? as_lock : MT_CALL_signal_##call, condition, 0, \
      __builtin_frame_address(0), interpreters); \
  int result = ORIGINAL(call)(condition, __VA_ARGS__);                                                          \
  mt_wait_hide();                                                                                               \
  if (interpreters)                                                                                             \
    mt_lock_waited(as_lock, condition, mutex, begin, 0, __builtin_return_address(0));                           \
  else if (result == 0 || result == ETIMEDOUT)                                                                  \
    mt_signal_waited(MT_CALL_signal_##call, condition, mutex, begin, result != 0, __builtin_return_address(0)); \
  return result

EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) { WAIT(pthread_cond_wait, condition,
    mutex, MT_CALL_lock_pthread_cond_wait, mutex); }
EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  WAIT(pthread_cond_timedwait, condition, mutex, MT_CALL_lock_pthread_cond_timedwait, mutex, until);
}
EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
    const struct timespec *until) {
  WAIT(pthread_cond_clockwait, condition, mutex, MT_CALL_lock_pthread_cond_timedwait, mutex, clock, until);
}

// Returns whether a thread waits for a condition variable: the C library counts the waiters above three bits of
// flags, and itself checks that count first.
static bool is_waited_for(const pthread_cond_t *condition) { return __atomic_load_n(&condition->__data.__wrefs,
    __ATOMIC_RELAXED) >> 3 != 0; }

#define SIGNAL(call, condition) \
  if (mt_locks_on() && !mt_lock_known_interpreters(condition)) mt_handoff_give(condition, is_waited_for(condition)); \
  return ORIGINAL(call)(condition)

EXPORT int pthread_cond_signal(pthread_cond_t *condition) { SIGNAL(pthread_cond_signal, condition); }
EXPORT int pthread_cond_broadcast(pthread_cond_t *condition) { SIGNAL(pthread_cond_broadcast, condition); }

// The body of a semaphore's wait. The semaphore is tried first, as the C library itself does, and the clock is read
// only if the thread must wait. If the thread that posts the semaphore is the thread that had acquired it, the
// semaphore is used as a lock, as in Python's threading.Lock. Then the wait is recorded as a wait for a lock.
#define WAIT_FOR(call, semaphore, ...)                                                                         \
  pthread_testcancel();                                                                                        \
  int saved = errno;                                                                                           \
  if (ORIGINAL(sem_trywait)(semaphore) == 0) {                                                                 \
    mt_handoff_take(semaphore, false);                                                                         \
    return 0;                                                                                                  \
  }                                                                                                            \
  errno = saved;                                                                                               \
  uint64_t holder = mt_handoff_taker(semaphore), begin = mt_wait_begin(MT_CALL_signal_##call, semaphore, holder, \
      __builtin_frame_address(0), false); \
  int result = ORIGINAL(call)(semaphore __VA_OPT__(, ) __VA_ARGS__);                                           \
  mt_wait_hide();                                                                                              \
  struct handoff by = result == 0 ? mt_handoff_read(semaphore, begin, mt_ticks()) : (struct handoff){0};       \
  if (result == 0) mt_handoff_take(semaphore, true);                                                           \
  if (by.given_back)                                                                                           \
    mt_lock_waited(MT_CALL_lock_##call, semaphore, semaphore, begin, holder ? holder : by.by, \
        __builtin_return_address(0)); \
  else                                                                                                         \
    mt_signal_waited(MT_CALL_signal_##call, semaphore, NULL, begin, result != 0, __builtin_return_address(0)); \
  return result

// Returns whether a time is valid. An invalid time must reach the original: it is an error even when the semaphore is
// free.
static bool is_time(const struct timespec *until) { return until->tv_nsec >= 0 && until->tv_nsec < 1000000000; }

EXPORT int sem_wait(sem_t *semaphore) {
  if (!mt_signals_on()) return ORIGINAL(sem_wait)(semaphore);
  WAIT_FOR(sem_wait, semaphore);
}
EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
  if (!mt_signals_on() || !is_time(until)) return ORIGINAL(sem_timedwait)(semaphore, until);
  WAIT_FOR(sem_timedwait, semaphore, until);
}
EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
  if (!mt_signals_on() || !is_time(until) || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)) return ORIGINAL(
      sem_clockwait)(semaphore, clock, until);
  WAIT_FOR(sem_clockwait, semaphore, clock, until);
}
EXPORT int sem_trywait(sem_t *semaphore) {
  int result = ORIGINAL(sem_trywait)(semaphore);
  if (result == 0 && mt_locks_on()) mt_handoff_take(semaphore, false);
  return result;
}

// Returns whether a thread waits for a semaphore: its first 64 bits contain the value in the lower half and the
// number of waiters in the upper half.
static bool is_semaphore_waited_for(const sem_t *semaphore) {
    return __atomic_load_n((const uint64_t *)(const void *)semaphore, __ATOMIC_RELAXED) >> 32 != 0; }

// The signal is noted before the semaphore is posted. After posting, the semaphore must not be touched: a thread that
// acquired it may have freed it.
UNLOCK(sem_post, sem_t, if (mt_locks_on()) mt_handoff_give(lock, is_semaphore_waited_for(lock)))
