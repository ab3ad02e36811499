// Linux: records waits for barriers and for futexes. Only futexes that a program or its language runtime uses through
// the C library's syscall are seen: C++'s std::barrier, std::latch, std::future and atomic waits, and Rust's locks.
// The C library's own locks do not call syscall; locks_linux.c records them.
//
// The last thread to arrive at a barrier releases the others. Each arriving thread is stored as the signaller of the
// barrier's current round (one use of the barrier by all threads) and replaces the earlier one. So a waiting thread
// finds the last to arrive, even if that thread has already arrived for the next round.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "system/originals.h"
#include "waits/blocking.h"
#include "waits/handoff.h"
#include "waits/locks.h"

#define EXPORT __attribute__((visibility("default")))


// Returns an address that stands for the barrier's current round (one use of the barrier by all threads). Successive
// rounds use four addresses inside the barrier in turn. The barrier's first word counts arrivals, and its third word is
// the number of threads in a round. The round cannot end before the calling thread arrives, so the result stays right
// until then.
static const void *round_of(const pthread_barrier_t *barrier) {
  const unsigned *words = (const unsigned *)(const void *)barrier;
  unsigned arrived = __atomic_load_n(&words[0], __ATOMIC_RELAXED), all = __atomic_load_n(&words[2], __ATOMIC_RELAXED);
  return (const char *)barrier + (all ? arrived / all & 3 : 0);
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier) {
  if (!mt_signals_on()) return ORIGINAL(pthread_barrier_wait)(barrier);
  const void *round = round_of(barrier);
  mt_handoff_give(round, true);
  uint64_t begin = mt_wait_begin(MT_CALL_signal_pthread_barrier_wait, barrier, 0, __builtin_frame_address(0), false);
  int result = ORIGINAL(pthread_barrier_wait)(barrier);
  mt_wait_hide();
  if (mt_blocked(begin))
    mt_signal_waited(MT_CALL_signal_pthread_barrier_wait, round, NULL, begin, false, __builtin_return_address(0));
  return result;
}

static __attribute__((noinline)) long futex_waits(long a, long b, long c, long d, long e, long f, const void *frame,
    const void *waiter) {
  const void *word = (const void *)a;
  uint64_t begin = mt_wait_begin(MT_CALL_signal_futex, word, 0, frame, false);
  long result = ORIGINAL(syscall)(SYS_futex, a, b, c, d, e, f);
  int error = errno;
  mt_wait_hide();
  if ((result == 0 || error == ETIMEDOUT) && mt_blocked(begin))
    mt_signal_waited(MT_CALL_signal_futex, word, NULL, begin, result != 0, waiter);
  errno = error;
  return result;
}

// Replaces the C library's syscall. Like the original it always passes six arguments; those that the caller did not
// pass have arbitrary values and are ignored. For every system call except futex, the function only jumps to the
// original.
typedef long (*six_arguments)(long, long, long, long, long, long, long);
EXPORT long mt_syscall(long number, long a, long b, long c, long d, long e, long f) __asm__("syscall");
long mt_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (number == SYS_futex && mt_signals_on()) {
    int operation = (int)b & FUTEX_CMD_MASK;
    if (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET)
      return futex_waits(a, b, c, d, e, f, __builtin_frame_address(0), __builtin_return_address(0));
    if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET) mt_handoff_give((const void *)a, true);
  }
  return ((six_arguments)ORIGINAL(syscall))(number, a, b, c, d, e, f);
}
