// Records waits outside of Metal in which a thread waits for a file descriptor, for a time to pass, or for another
// thread to end. (Locks, signals and child processes are recorded elsewhere.)
//
// Rule: the clock is read before and after the call, and only a call of MT_BLOCKED_NANOS or more is recorded, with
// what it waited for. A call that returns at once costs two readings of the clock and a few stores to the thread's
// own memory. Nothing is recorded in a process that does not use Metal, nor inside Metal's calls.
//
// The replaced functions are cancellation points and may be called in signal handlers. Therefore the tracer holds no
// lock or memory while they run, and does not change errno.
#ifndef MTRACE_BLOCKING_H
#define MTRACE_BLOCKING_H
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/select.h>
#include "core/clock.h"
#include "waits/locks.h"

// The shortest call, in nanoseconds, that counts as a wait. A thread that sleeps and is woken makes two context
// switches of a few microseconds each; a shorter call was running, not waiting.
enum { MT_BLOCKED_NANOS = 20000 };

extern MT_HIDDEN _Atomic uint64_t mt_blocked_ticks; // the same in ticks; 0 until it is known

// Called before a function that may block. `on` is the descriptor, or another value that identifies the wait. It
// shows the wait in the header of the thread's ring (its buffer of records in shared memory). It returns the tick at
// which the wait begins, or 0 if the call is not to be measured. Whether the thread holds the GIL is not looked up,
// because that would cost more than everything else here.
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

// Called when the function has returned: returns whether it blocked for long enough to be recorded.
static inline bool mt_blocked(uint64_t begin) {
  if (!begin) return false;
  mt_wait_hide();
  return __builtin_expect(mt_ticks() - begin >= atomic_load_explicit(&mt_blocked_ticks, memory_order_relaxed), 0);
}

// Records a finished wait for one descriptor, fd (-1 if unknown). frame is the frame of the function that the program
// called, where the recorded stack begins. Keeps errno.
void mt_blocked_on(unsigned call, uint64_t begin, int fd, const void *frame);

// Records a finished wait that was not ended by a single descriptor. `kind` says what ended it, for example
// MT_DESCRIPTOR_TIMEOUT. Does not change errno.
void mt_blocked_for(unsigned call, uint64_t begin, uint32_t kind, const void *frame);

// Records a finished wait for a time to pass or for a thread to end. The wait is named after the function that
// contains the address `waiter`, from which the program called. Does not change errno.
void mt_blocked_in(unsigned call, uint64_t begin, const void *frame, const void *waiter);

// The body of a replaced function. The last argument is the call of the original. `on` is the descriptor that the
// thread waits for, or -1. `ready` is the descriptor that ended the wait, and `timed_out` whether a timeout ended it;
// both may be expressions with `result`, the original's return value.
#define MT_BLOCKS(type, name, on, ready, timed_out, ...) \
  uint64_t begin = mt_blocking_begin(MT_CALL_signal_##name, (uint64_t)(int64_t)(on)); \
  type result = __VA_ARGS__; \
  if (mt_blocked(begin)) { \
    if (timed_out) mt_blocked_for(MT_CALL_signal_##name, begin, MT_DESCRIPTOR_TIMEOUT, __builtin_frame_address(0)); \
    else mt_blocked_on(MT_CALL_signal_##name, begin, ready, __builtin_frame_address(0)); \
  } \
  return result

// The body of a replaced function that waits for one descriptor (MT_BLOCKS_AT), and of one that waits for a time to
// pass or for a thread to end (MT_BLOCKS_IN).
#define MT_BLOCKS_AT(type, name, fd, ...) MT_BLOCKS(type, name, fd, fd, false, __VA_ARGS__)
#define MT_BLOCKS_IN(type, name, ...) \
  uint64_t begin = mt_blocking_begin(MT_CALL_signal_##name, 0); \
  type result = __VA_ARGS__; \
  if (mt_blocked(begin)) \
    mt_blocked_in(MT_CALL_signal_##name, begin, __builtin_frame_address(0), __builtin_return_address(0)); \
  return result

// Return the descriptor that is ready after poll (mt_ready_in) or select (mt_ready_of), or -1. Call them only after
// the system call has succeeded: the program's pointers may be invalid, and then the system call fails first.
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
