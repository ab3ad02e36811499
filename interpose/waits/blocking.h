// Waits outside of Metal for something other than a lock, a signal or a child process: at file descriptors, for a time,
// for the end of a thread. Rule: the clock is read before and after the call, and only a call of MT_BLOCKED_NANOS or
// more is recorded, with what it waited for. A call that returns at once costs two readings of the clock and a few
// stores to the thread's own memory. Only in a process that uses Metal, and not inside Metal's calls.
//
// The functions are cancellation points and may be called in handlers of signals: nothing is held while they run, and
// errno is preserved.
#ifndef MTRACE_BLOCKING_H
#define MTRACE_BLOCKING_H
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/select.h>
#include "core/clock.h"
#include "waits/locks.h"

// A thread that sleeps and is woken takes two context switches, of a few microseconds each; shorter calls have run.
enum { MT_BLOCKED_NANOS = 20000 };

extern MT_HIDDEN _Atomic uint64_t mt_blocked_ticks; // the same in ticks; 0 until it is known

// The calling thread is about to call a function that may block; on is the descriptor, or another value that identifies
// the wait. Returns 0 when the call is not to be measured. Whether the thread holds the GIL is not looked up here: that
// would cost more than the rest.
static inline uint64_t mt_blocking_begin(unsigned call, uint64_t on) {
  if (!mt_signals_on()) return 0;
  uint64_t begin = mt_ticks();
  struct thread *t = mt_thread_get();
  if ((uintptr_t)t > (uintptr_t)MT_THREAD_GONE) {
    atomic_store_explicit(&t->ring->blocked_begin, begin, memory_order_relaxed);
    atomic_store_explicit(&t->ring->blocked_address, on, memory_order_relaxed);
    atomic_store_explicit(&t->ring->blocked_holder, 0, memory_order_relaxed);
    atomic_store_explicit(&t->ring->blocked, call, memory_order_release);
  }
  return begin;
}

// Did a function that has just returned block?
static inline bool mt_blocked(uint64_t begin) {
  if (!begin) return false;
  mt_wait_hide();
  return __builtin_expect(mt_ticks() - begin >= atomic_load_explicit(&mt_blocked_ticks, memory_order_relaxed), 0);
}

// Records a finished wait at one descriptor. frame belongs to the function that the program called. Keeps errno.
void mt_blocked_on(unsigned call, uint64_t begin, int fd, const void *frame);

// The same of a wait that no single descriptor ended: it ended by its timeout (MT_DESCRIPTOR_TIMEOUT), or by something
// else of the given kind.
void mt_blocked_for(unsigned call, uint64_t begin, uint32_t kind, const void *frame);

// The same of a wait for a time or for a thread's end, named after the function that waited.
void mt_blocked_in(unsigned call, uint64_t begin, const void *frame, const void *waiter);

// The body of a replacement. The last argument calls the original; on is the descriptor that the thread waits for, or
// -1. ready and timed_out may use result: the descriptor that ended the wait, and whether the timeout did.
#define MT_BLOCKS(type, name, on, ready, timed_out, ...) \
  uint64_t begin = mt_blocking_begin(MT_CALL_signal_##name, (uint64_t)(int64_t)(on)); \
  type result = __VA_ARGS__; \
  if (mt_blocked(begin)) { \
    if (timed_out) mt_blocked_for(MT_CALL_signal_##name, begin, MT_DESCRIPTOR_TIMEOUT, __builtin_frame_address(0)); \
    else mt_blocked_on(MT_CALL_signal_##name, begin, ready, __builtin_frame_address(0)); \
  } \
  return result

// The same for a function that waits at one descriptor, and for one that waits for a time or a thread's end.
#define MT_BLOCKS_AT(type, name, fd, ...) MT_BLOCKS(type, name, fd, fd, false, __VA_ARGS__)
#define MT_BLOCKS_IN(type, name, ...) \
  uint64_t begin = mt_blocking_begin(MT_CALL_signal_##name, 0); \
  type result = __VA_ARGS__; \
  if (mt_blocked(begin)) \
    mt_blocked_in(MT_CALL_signal_##name, begin, __builtin_frame_address(0), __builtin_return_address(0)); \
  return result

// The descriptor that is ready, or -1, after poll and after select. The program's pointers may be invalid, so they are
// read only after the system has read them.
static inline int mt_ready_in(const struct pollfd *list, nfds_t count, int result) {
  for (nfds_t i = 0; result > 0 && i < count; i++)
    if (list[i].revents) return list[i].fd;
  return -1;
}
static inline int mt_ready_of(int count, const fd_set *in, const fd_set *out, int result) {
  for (int fd = 0; result > 0 && fd < count && fd < FD_SETSIZE; fd++)
    if ((in && FD_ISSET(fd, in)) || (out && FD_ISSET(fd, out))) return fd;
  return -1;
}
#endif
