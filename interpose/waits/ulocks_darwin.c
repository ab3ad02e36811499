// macOS: records waits for a word of memory to change (like Linux's futex), and waits for an os_unfair_lock.
// locks_darwin.c describes how functions are replaced.
//
// Rule: only calls of the program and its libraries are recorded, such as those of a C++ or Rust runtime that the
// program brings along. Apple's own libraries use the same functions for the locks of malloc, dyld and Objective-C.
// While a thread holds such a lock, nothing may run that takes it again; recording may do that, and the thread would
// deadlock. On arm64 calls of Apple's libraries do not come here, on x86_64 they may.
//
// A program's own __ulock_wait for an os_unfair_lock (UL_UNFAIR_LOCK) is not recorded. It also tells the kernel who
// holds the lock, in a format that only the lock's own functions know.
#include <errno.h>
#include <os/lock.h>
#include <stdint.h>
#include "system/sharedcache.h"
#include "waits/blocking.h"
#include "waits/handoff.h"
#include "waits/locks.h"

// These functions are exported, but no public header declares them (xnu, bsd/sys/ulock.h). __ulock_wait2 exists since
// macOS 11, the others since 10.12.
extern int __ulock_wait(uint32_t operation, void *word, uint64_t value, uint32_t microseconds);
extern int __ulock_wait2(uint32_t operation, void *word, uint64_t value, uint64_t time, uint64_t value2);
extern int __ulock_wake(uint32_t operation, void *word, uint64_t value);
// <os/os_sync_wait_on_address.h>, since macOS 14.4.
#define WEAK __attribute__((weak_import))
extern int os_sync_wait_on_address(void *word, uint64_t value, size_t size, uint32_t flags) WEAK;
extern int os_sync_wait_on_address_with_timeout(void *word, uint64_t value, size_t size, uint32_t flags,
    uint32_t clock, uint64_t nanoseconds) WEAK;
extern int os_sync_wait_on_address_with_deadline(void *word, uint64_t value, size_t size, uint32_t flags,
    uint32_t clock, uint64_t until) WEAK;
extern int os_sync_wake_by_address_any(void *word, size_t size, uint32_t flags) WEAK;
extern int os_sync_wake_by_address_all(void *word, size_t size, uint32_t flags) WEAK;

enum { OPERATION = 0xff, UNFAIR_LOCK = 2, UNFAIR_LOCK_SHARED = 4 };

#define OF_THE_PROGRAM() (!mt_in_shared_cache(__builtin_return_address(0)))
static bool is_lock(uint32_t operation) {
  return (operation & OPERATION) == UNFAIR_LOCK || (operation & OPERATION) == UNFAIR_LOCK_SHARED;
}

// Returns whether a wait timed out. With the flag ULF_NO_ERRNO the system call returns the negative error instead of
// storing it in errno.
static bool timed_out(int result, int error) { return result == -ETIMEDOUT || (result == -1 && error == ETIMEDOUT); }

#define WAITS_ON_WORD(name, recorded, parameters, arguments) \
  static int waits_in_##name parameters { \
    if (!(recorded) || !mt_signals_on() || !OF_THE_PROGRAM()) return name arguments; \
    uint64_t begin = mt_wait_begin(MT_CALL_signal_##name, word, 0, __builtin_frame_address(0), false); \
    int result = name arguments, error = errno; \
    mt_wait_hide(); \
    bool late = timed_out(result, error); \
    if ((result >= 0 || late) && mt_blocked(begin)) \
      mt_signal_waited(MT_CALL_signal_##name, word, NULL, begin, late, __builtin_return_address(0)); \
    errno = error; \
    return result; \
  }
WAITS_ON_WORD(__ulock_wait, !is_lock(operation),
    (uint32_t operation, void *word, uint64_t value, uint32_t microseconds), (operation, word, value, microseconds))
WAITS_ON_WORD(__ulock_wait2, !is_lock(operation),
    (uint32_t operation, void *word, uint64_t value, uint64_t time, uint64_t value2),
    (operation, word, value, time, value2))
WAITS_ON_WORD(os_sync_wait_on_address, true, (void *word, uint64_t value, size_t size, uint32_t flags),
    (word, value, size, flags))
WAITS_ON_WORD(os_sync_wait_on_address_with_timeout, true,
    (void *word, uint64_t value, size_t size, uint32_t flags, uint32_t clock, uint64_t nanoseconds),
    (word, value, size, flags, clock, nanoseconds))
WAITS_ON_WORD(os_sync_wait_on_address_with_deadline, true,
    (void *word, uint64_t value, size_t size, uint32_t flags, uint32_t clock, uint64_t until),
    (word, value, size, flags, clock, until))

#define WAKES_AT_WORD(name, recorded, parameters, arguments) \
  static int wakes_in_##name parameters { \
    if ((recorded) && mt_locks_on() && OF_THE_PROGRAM()) mt_handoff_give(word, true); \
    return name arguments; \
  }
WAKES_AT_WORD(__ulock_wake, !is_lock(operation), (uint32_t operation, void *word, uint64_t value),
    (operation, word, value))
WAKES_AT_WORD(os_sync_wake_by_address_any, true, (void *word, size_t size, uint32_t flags), (word, size, flags))
WAKES_AT_WORD(os_sync_wake_by_address_all, true, (void *word, size_t size, uint32_t flags), (word, size, flags))

// Replaces os_unfair_lock_lock. As for a mutex (locks_darwin.c), the lock is tried first, and its holder is known
// only after a thread has waited for it.
static void locks_unfair(os_unfair_lock_t lock) {
  if (!mt_locks_on() || !OF_THE_PROGRAM()) return os_unfair_lock_lock(lock);
  bool waits = !os_unfair_lock_trylock(lock);
  if (waits && mt_locks_own()) return os_unfair_lock_lock(lock);
  if (!waits) return mt_lock_taken(lock, false);
  // take the thread's ring now, before it waits: doing so later would lengthen the time that it holds the lock
  mt_thread();
  uint64_t holder = mt_handoff_taker(lock);
  uint64_t begin = mt_wait_begin(MT_CALL_lock_os_unfair_lock_lock, lock, holder, __builtin_frame_address(0), false);
  os_unfair_lock_lock(lock);
  mt_wait_hide();
  mt_lock_taken(lock, true);
  mt_lock_waited(MT_CALL_lock_os_unfair_lock_lock, lock, lock, begin, holder, __builtin_return_address(0));
}
static bool tries_unfair(os_unfair_lock_t lock) {
  bool taken = os_unfair_lock_trylock(lock);
  if (taken && mt_locks_on() && OF_THE_PROGRAM()) mt_lock_taken(lock, false);
  return taken;
}
static void unlocks_unfair(os_unfair_lock_t lock) {
  if (!mt_locks_on() || !OF_THE_PROGRAM()) return os_unfair_lock_unlock(lock);
  mt_lock_releasing(lock);
  os_unfair_lock_unlock(lock);
  mt_lock_given_back(lock);
}

__attribute__((used, section("__DATA,__interpose"))) static const struct {
  const void *replacement, *original;
} ulock_pairs[] = {
    {(const void *)waits_in___ulock_wait, (const void *)__ulock_wait},
    {(const void *)waits_in___ulock_wait2, (const void *)__ulock_wait2},
    {(const void *)wakes_in___ulock_wake, (const void *)__ulock_wake},
    {(const void *)waits_in_os_sync_wait_on_address, (const void *)os_sync_wait_on_address},
    {(const void *)waits_in_os_sync_wait_on_address_with_timeout, (const void *)os_sync_wait_on_address_with_timeout},
    {(const void *)waits_in_os_sync_wait_on_address_with_deadline, (const void *)os_sync_wait_on_address_with_deadline},
    {(const void *)wakes_in_os_sync_wake_by_address_any, (const void *)os_sync_wake_by_address_any},
    {(const void *)wakes_in_os_sync_wake_by_address_all, (const void *)os_sync_wake_by_address_all},
    {(const void *)locks_unfair, (const void *)os_unfair_lock_lock},
    {(const void *)tries_unfair, (const void *)os_unfair_lock_trylock},
    {(const void *)unlocks_unfair, (const void *)os_unfair_lock_unlock},
};
