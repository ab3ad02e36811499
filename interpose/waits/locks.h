// Waits for locks. Rule: a lock is tried first, and the clock is read only if it is held by another thread. An
// uncontended lock costs one more call, and the note that the thread has touched it (handoff.h). In a process that does
// not use Metal every function calls its original directly.
//
// Waits for a lock are waits for mutexes, read-write locks and serial dispatch queues. A wait for a condition variable
// or a semaphore is a wait for a signal, which is different: a thread pool waits for work that way. The exception is a
// condition variable that implements the lock of a language interpreter.
//
// A wait that ends with the thread holding a lock is noted in the thread's own memory, and written into its ring when
// the lock is released, or before the thread's next record or wait. Otherwise all threads that wait for that lock would
// pay for cache lines, new pages and look-ups of names: threads of Python created half as many command buffers. Records
// stay in the order of their ends, because the hot path sees a full ring (look_again is 0) while a wait is pending. If
// a process ends while a thread holds such a lock, that wait is lost, as is a wait in progress.
//
// The GIL is not the mutex that guards it: CPython unlocks that mutex once when a thread has acquired the GIL and once
// more when it has released it, and only then is no other thread delayed. So waits for the GIL are written at the
// second unlock.
#ifndef MTRACE_LOCKS_H
#define MTRACE_LOCKS_H
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/state.h"
#include "stacks/python.h"
#include "stacks/stack.h"
#include "core/delay.h"
#include "core/thread.h"
#include "waits/handoff.h"

// Writes the thread's pending waits into its ring. Keeps errno.
void mt_lock_write_down(struct thread *t);

// The thread has unlocked the object that delayed its pending waits.
void mt_lock_unlocked(struct thread *t);

// A thread has taken a ring: nothing is known of its locks.
void mt_lock_open(struct thread *t);

// Set while waits for locks are not recorded: during the self-check, whose waits are on Metal's own threads.
extern _Atomic bool mt_locks_left_out;

// Are waits recorded now?
static inline bool mt_locks_on(void) { return atomic_load_explicit(&mt_state, memory_order_relaxed) == MT_ACTIVE; }

// Is the calling thread doing the tracer's own work, for which it may wait for locks of the runtime?
static inline bool mt_locks_own(void) {
  struct thread *t = mt_thread_get();
  return (uintptr_t)t > (uintptr_t)MT_THREAD_GONE && t->own_work;
}

// Are waits for signals recorded now? Not inside a Metal call: a wait there is part of the call.
static inline bool mt_signals_on(void) {
  if (!mt_locks_on()) return false;
  struct thread *t = mt_thread_get();
  return (uintptr_t)t <= (uintptr_t)MT_THREAD_GONE ||
      (!t->own_work && atomic_load_explicit(&t->ring->current, memory_order_relaxed) == 0);
}

// Publishes the wait that the calling thread is about to begin, for a reader of the ring outside: see region.h. holder
// is the thread that holds the lock, 0 when that is not known. A thread without a ring publishes nothing.
static inline void mt_wait_show(unsigned call, const void *address, uint64_t holder, uint64_t begin,
    bool interpreters) {
  struct thread *t = mt_thread_get();
  if ((uintptr_t)t <= (uintptr_t)MT_THREAD_GONE) return;
  uint64_t flags = interpreters ? MT_FLAG_LACKS_INTERPRETER : mt_python_flags();
  atomic_store_explicit(&t->ring->blocked_begin, begin, memory_order_relaxed);
  atomic_store_explicit(&t->ring->blocked_address, (uintptr_t)address, memory_order_relaxed);
  atomic_store_explicit(&t->ring->blocked_holder, holder, memory_order_relaxed);
  atomic_store_explicit(&t->ring->blocked, call | flags << 16 | (uint64_t)interpreters << 32, memory_order_release);
}

// The calling thread's wait is over.
static inline void mt_wait_hide(void) {
  struct thread *t = mt_thread_get();
  if ((uintptr_t)t <= (uintptr_t)MT_THREAD_GONE) return;
  if (mt_delayed(t)) mt_delay_woken(t);
  atomic_store_explicit(&t->ring->blocked, 0, memory_order_relaxed);
}

// Begins a wait of the calling thread in a function with the given frame, and returns the tick. mt_wait_hide must end
// it. For an interpreter's lock no pending wait is written first: the lock's holder needs the mutex that this thread
// has locked.
static inline uint64_t mt_wait_begin(unsigned call, const void *address, uint64_t holder, const void *frame,
    bool interpreters) {
  struct thread *t = mt_thread_get();
  if (!interpreters && (uintptr_t)t > (uintptr_t)MT_THREAD_GONE) mt_lock_write_down(t);
  if ((uintptr_t)t > (uintptr_t)MT_THREAD_GONE && mt_delayed(t)) mt_delay_pause(t);
  uint64_t begin = mt_stack_begin_wait(call, frame);
  mt_wait_show(call, address, holder, begin, interpreters);
  return begin;
}

// Records a finished wait for a lock that began at the given tick. The lock is named after the symbol at its address,
// or else after the function that waited. held is the object that the calling thread will release: the lock, or a
// condition variable's mutex. Keeps errno.
void mt_lock_waited(unsigned call, const void *lock, const void *held, uint64_t begin, uint64_t holder,
    const void *waiter);

// The same, at once, for a wait that ended at another tick than now, and for a lock with a name of its own.
void mt_lock_waited_until(uint64_t end, unsigned call, const void *lock, uint64_t begin, uint64_t holder,
    const char *label);

// Records a finished wait for a signal that began at the given tick, with the signalling thread. failed: no signal
// came. held may be NULL: then the wait is written at once. Keeps errno.
void mt_signal_waited(unsigned call, const void *object, const void *held, uint64_t begin, bool failed,
    const void *waiter);

// Whether the calling thread has pending waits for a lock that it is about to release.
static inline bool mt_lock_is_owed(const void *lock) {
  struct thread *t = mt_thread_get();
  return (uintptr_t)t > (uintptr_t)MT_THREAD_GONE && t->held == lock;
}

// Whether there is more to do about a lock that the calling thread is about to release.
static inline bool mt_lock_concerns(const void *lock) {
  struct thread *t = mt_thread_get();
  return (uintptr_t)t > (uintptr_t)MT_THREAD_GONE && (t->held == lock || mt_delays(t) != 0);
}

// The calling thread is about to release a lock, which an experiment may have it hold longer.
static inline void mt_lock_releasing(const void *lock) {
  struct thread *t = mt_delayed_thread();
  if (t) mt_delay_lock(t, lock);
}

// The calling thread has released a lock.
static inline void mt_lock_given_back(const void *lock) {
  if (__builtin_expect(mt_lock_is_owed(lock), 0)) mt_lock_unlocked(mt_thread_get());
}

// The calling thread has acquired a mutex whose owner the system does not show. The GIL's mutex is excluded: all Python
// threads touch it constantly, which is no hand-off.
static inline void mt_lock_taken(const void *lock, bool waited) {
  mt_handoff_hold(lock, waited);
  if (!mt_python_has(lock)) mt_handoff_touch(lock);
}

// The name, "in FUNCTION", for a waiting function of the program.
uint64_t mt_lock_waiter_name(struct thread *t, const void *waiter);

// Is there an interpreter's lock at this address? A lock outside the data of a known interpreter is recognized by the
// name of the variable that contains it.
bool mt_lock_is_named(const void *lock);
static inline bool mt_lock_is_interpreters(const void *lock) { return mt_python_has(lock) || mt_lock_is_named(lock); }

// The same without looking up a name, so false for a lock of that kind for which no thread has waited yet.
extern MT_HIDDEN _Atomic bool mt_locks_named; // a lock of that kind was found
bool mt_lock_was_named(const void *lock);
static inline bool mt_lock_known_interpreters(const void *lock) {
  return mt_python_has(lock) || (atomic_load_explicit(&mt_locks_named, memory_order_relaxed) &&
      mt_lock_was_named(lock));
}
#endif
