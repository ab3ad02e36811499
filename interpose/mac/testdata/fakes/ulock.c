// xnu's waits for a word to change, and libplatform's locks upon these, by Linux's futexes.
//
// Rule, of xnu's bsd/sys/ulock.h and bsd/kern/sys_ulock.c: a wait whose word has another value returns at once, with 0; one whose time is over
// fails with ETIMEDOUT, which it returns negative where that was asked for (ULF_NO_ERRNO); a wake without a waiter fails with ENOENT.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <os/lock.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { COMPARE_AND_WAIT = 1, UNFAIR_LOCK = 2, WAKE_ALL = 0x100, NO_ERRNO = 0x01000000 };

static int failed(int error, bool returned) {
  if (returned) return -error;
  errno = error;
  return -1;
}
static int wait_word(void *word, uint64_t value, uint64_t nanoseconds, bool returned) {
  struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
  long result = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, (uint32_t)value, nanoseconds ? &time : NULL, NULL, 0);
  return result == 0 || errno == EAGAIN ? 0 : failed(errno, returned);
}
static int wake_word(void *word, bool all) {
  long woken = syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, all ? INT_MAX : 1, NULL, NULL, 0);
  return woken > 0 ? 0 : failed(ENOENT, false);
}

int __ulock_wait2(uint32_t operation, void *word, uint64_t value, uint64_t time, uint64_t value2) {
  if ((operation & 0xff) != COMPARE_AND_WAIT && (operation & 0xff) != UNFAIR_LOCK) abort();
  (void)value2;
  return wait_word(word, value, time, operation & NO_ERRNO);
}
int __ulock_wait(uint32_t operation, void *word, uint64_t value, uint32_t microseconds) {
  return __ulock_wait2(operation, word, value, (uint64_t)microseconds * 1000, 0);
}
int __ulock_wake(uint32_t operation, void *word, uint64_t value) {
  (void)value;
  return wake_word(word, operation & WAKE_ALL);
}
int os_sync_wait_on_address(void *word, uint64_t value, size_t size, uint32_t flags) {
  if (size != sizeof(uint32_t) || flags) abort();
  return wait_word(word, value, 0, false);
}
int os_sync_wait_on_address_with_timeout(void *word, uint64_t value, size_t size, uint32_t flags, uint32_t clock, uint64_t nanoseconds) {
  if (size != sizeof(uint32_t) || flags || clock != 32) abort();
  return wait_word(word, value, nanoseconds, false);
}
int os_sync_wait_on_address_with_deadline(void *word, uint64_t value, size_t size, uint32_t flags, uint32_t clock, uint64_t until) {
  return os_sync_wait_on_address_with_timeout(word, value, size, flags, clock, until ? 1000000 : 0);
}
int os_sync_wake_by_address_any(void *word, size_t size, uint32_t flags) { return size == sizeof(uint32_t) && !flags ? wake_word(word, false) : -1; }
int os_sync_wake_by_address_all(void *word, size_t size, uint32_t flags) { return size == sizeof(uint32_t) && !flags ? wake_word(word, true) : -1; }

// 0 free, else the thread that has it; the highest bit: somebody waits.
static const uint32_t WAITERS = 1u << 31;
static uint32_t self(void) { return (uint32_t)syscall(SYS_gettid); }
bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
  uint32_t free = 0;
  return __atomic_compare_exchange_n(&lock->word, &free, self(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
void os_unfair_lock_lock(os_unfair_lock_t lock) {
  while (!os_unfair_lock_trylock(lock)) {
    uint32_t word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
    if ((word & ~WAITERS) == self()) abort();
    if (word && __atomic_compare_exchange_n(&lock->word, &word, word | WAITERS, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      wait_word(&lock->word, word | WAITERS, 0, false);
  }
}
void os_unfair_lock_unlock(os_unfair_lock_t lock) {
  uint32_t word = __atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE);
  if ((word & ~WAITERS) != self()) abort();
  if (word & WAITERS) wake_word(&lock->word, true);
}
