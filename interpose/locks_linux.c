// Linux: the C library's functions, by their names before the C library's. Rule: whatever a lock is, recursive, robust, checked for
// errors, its own trylock and lock decide: what trylock does not give at once is asked of lock again.
//
// The originals are the next ones in the order of the libraries, so a sanitizer's stay in between.
#include <errno.h>
#include "clock.h"
#include "interpose.h"
#include "locks.h"
#include "stack.h"

#ifdef MTRACE_SMALL // the sanitizers, which that build is for, have functions of their own here
void mt_own_lock(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }
void mt_own_unlock(pthread_mutex_t *mutex) { pthread_mutex_unlock(mutex); }
#else
#define EXPORT __attribute__((visibility("default")))

static void *find(_Atomic(void *) *cache, const char *name) {
  void *found = mt_next_symbol(name);
  atomic_store_explicit(cache, found, memory_order_relaxed);
  return found;
}
#define ORIGINAL(name) ({ \
  static _Atomic(void *) cache; \
  void *found = atomic_load_explicit(&cache, memory_order_relaxed); \
  (__typeof__(name) *)(__builtin_expect(found != NULL, 1) ? found : find(&cache, #name)); \
})

// The C library keeps the owner's thread id in the mutex, for every kind of mutex but the elided.
static uint64_t owner_of(const pthread_mutex_t *mutex) { return (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED); }
static uint64_t writer_of(const pthread_rwlock_t *lock) { return (uint32_t)__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED); }

#define LOCK(call, lock, try, holder) \
  if (!mt_locks_on()) return ORIGINAL(call)(lock); \
  int result = ORIGINAL(try)(lock); \
  if (result != EBUSY) return result; \
  uint64_t held_by = holder, begin = mt_stack_begin_wait(MT_CALL_lock_##call, __builtin_frame_address(0)); \
  result = ORIGINAL(call)(lock); \
  mt_lock_waited(MT_CALL_lock_##call, lock, begin, held_by, NULL, __builtin_return_address(0)); \
  return result

EXPORT int pthread_mutex_lock(pthread_mutex_t *lock) { LOCK(pthread_mutex_lock, lock, pthread_mutex_trylock, owner_of(lock)); }
EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock) { LOCK(pthread_rwlock_rdlock, lock, pthread_rwlock_tryrdlock, writer_of(lock)); }
EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock) { LOCK(pthread_rwlock_wrlock, lock, pthread_rwlock_trywrlock, writer_of(lock)); }

// Here only because lock is: the library's own code, Go's included, is bound to both or to neither. To one of them alone, a sanitizer
// that comes before us would see locks given back that were never taken.
EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex) { return ORIGINAL(pthread_mutex_unlock)(mutex); }

#define WAIT(call, condition, ...) \
  if (!mt_locks_on() || !mt_lock_is_interpreters(condition)) return ORIGINAL(call)(condition, __VA_ARGS__); \
  uint64_t begin = mt_stack_begin_wait(MT_CALL_lock_##call, __builtin_frame_address(0)); \
  int result = ORIGINAL(call)(condition, __VA_ARGS__); \
  mt_lock_waited(MT_CALL_lock_##call, condition, begin, 0, NULL, __builtin_return_address(0)); \
  return result

EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) { WAIT(pthread_cond_wait, condition, mutex); }
EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  WAIT(pthread_cond_timedwait, condition, mutex, until);
}

void mt_own_lock(pthread_mutex_t *mutex) { ORIGINAL(pthread_mutex_lock)(mutex); }
void mt_own_unlock(pthread_mutex_t *mutex) { ORIGINAL(pthread_mutex_unlock)(mutex); }
#endif
