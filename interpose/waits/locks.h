// Records waits for locks. Rule: a replaced function first tries the lock, and reads the clock only if another thread
// holds it. Acquiring a free lock costs one more call, and a note that the thread has touched the lock (handoff.h).
// In a process that does not use Metal every function calls its original directly.
//
// Waits for mutexes, read-write locks and serial dispatch queues are recorded as waits for a lock. A wait for a
// condition variable or a semaphore is recorded as a wait for a signal, which means something else: an idle thread
// pool waits in this way for work. The exception is a condition variable that implements a language interpreter's
// lock.
//
// When a wait ends and the thread then holds a lock, the wait is first stored in the thread's own memory. It is
// written into the thread's ring (its buffer of records) when the lock is released, or before the thread's next
// record or wait. Otherwise all threads that wait for that lock would also wait for cache misses, new pages and
// look-ups of names: in a test, threads of Python created only half as many command buffers. Records stay in the
// order of their ends: look_again is 0 while a wait is pending, so the next record finds the ring full and writes the
// wait first. If a process ends while a thread holds such a lock, the wait is lost, as is a wait in progress.
//
// CPython's GIL is a flag that a mutex protects. CPython unlocks that mutex twice: when a thread has acquired the GIL,
// and when the thread has released the GIL. Waits for the GIL are written after the second unlock, because writing them
// earlier would delay the threads that wait for the GIL.
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

// Writes the thread's pending waits, which are finished but not recorded yet, into its ring (its buffer of records in
// shared memory). Keeps errno.
void mt_lock_write_down(struct thread *t);

// Called when the thread has unlocked the lock for which its pending waits were kept: writes them.
void mt_lock_unlocked(struct thread *t);

// Called when a thread has taken a ring (a buffer for its records). An earlier thread may have used the ring: this
// forgets that thread's pending waits and lock names.
void mt_lock_open(struct thread *t);

// Set while waits for locks are not recorded: during the self-check (hook/canary.h), which makes Metal's own threads
// wait.
extern _Atomic bool mt_locks_left_out;

// Returns whether the process is traced, so that waits are recorded.
static inline bool mt_locks_on(void) { return atomic_load_explicit(&mt_state, memory_order_relaxed) == MT_ACTIVE; }

// Returns whether the calling thread is doing the tracer's own work. Its waits for locks of the Objective-C runtime
// are then not the program's and must not be recorded.
static inline bool mt_locks_own(void) {
  struct thread *t = mt_thread_get();
  return (uintptr_t)t > (uintptr_t)MT_THREAD_GONE && t->own_work;
}

// Returns whether a wait for a signal is to be recorded now. Inside a Metal call it is not: the wait is a part of
// that call's time.
static inline bool mt_signals_on(void) {
  if (!mt_locks_on()) return false;
  struct thread *t = mt_thread_get();
  return (uintptr_t)t <= (uintptr_t)MT_THREAD_GONE ||
      (!t->own_work && atomic_load_explicit(&t->ring->current, memory_order_relaxed) == 0);
}

// Shows in the header of the thread's ring (its buffer of records in shared memory) that the calling thread begins to
// wait. So the collector sees the wait even if the thread hangs in it (region.h). `holder` is the thread that holds
// the lock, 0 if unknown. The word `blocked` is stored last, with release: a reader that sees it also sees the other
// words of this wait. A thread without a ring shows nothing.
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

// Called when the calling thread's wait is over: the header of the thread's ring (its buffer of records in shared
// memory) shows no wait any more.
static inline void mt_wait_hide(void) {
  struct thread *t = mt_thread_get();
  if ((uintptr_t)t <= (uintptr_t)MT_THREAD_GONE) return;
  if (mt_delayed(t)) mt_delay_woken(t);
  atomic_store_explicit(&t->ring->blocked, 0, memory_order_relaxed);
}

// Begins a wait of the calling thread in the function with the given frame, and returns the tick at which it begins.
// mt_wait_hide must be called when the wait ends. The thread's pending waits are written first. They are not written
// before a wait for an interpreter's lock: this thread then holds a mutex that the interpreter lock's holder needs,
// so writing would delay all threads.
static inline uint64_t mt_wait_begin(unsigned call, const void *address, uint64_t holder, const void *frame,
    bool interpreters) {
  struct thread *t = mt_thread_get();
  if (!interpreters && (uintptr_t)t > (uintptr_t)MT_THREAD_GONE) mt_lock_write_down(t);
  if ((uintptr_t)t > (uintptr_t)MT_THREAD_GONE && mt_delayed(t)) mt_delay_pause(t);
  uint64_t begin = mt_stack_begin_wait(call, frame);
  mt_wait_show(call, address, holder, begin, interpreters);
  return begin;
}

// Records a finished wait for a lock that began at tick `begin`. The lock is named after the symbol at its address,
// or else after the function that waited. `held` is the object that the calling thread will release later: the lock,
// or a condition variable's mutex. Does not change errno.
void mt_lock_waited(unsigned call, const void *lock, const void *held, uint64_t begin, uint64_t holder,
    const void *waiter);

// Like mt_lock_waited, but writes the record at once. It is for a wait that ended at tick `end`, and for a lock that
// has a name of its own, `label`.
void mt_lock_waited_until(uint64_t end, unsigned call, const void *lock, uint64_t begin, uint64_t holder,
    const char *label);

// Records a finished wait for a signal that began at tick `begin`, with the thread that signalled. `failed` says that
// the wait timed out. `held` is the mutex that the thread holds now; if it is NULL, the record is written at once.
// Does not change errno.
void mt_signal_waited(unsigned call, const void *object, const void *held, uint64_t begin, bool failed,
    const void *waiter);

// Returns whether the calling thread must write the records of its pending (finished but unwritten) waits when it
// releases this lock.
static inline bool mt_lock_is_owed(const void *lock) {
  struct thread *t = mt_thread_get();
  return (uintptr_t)t > (uintptr_t)MT_THREAD_GONE && t->held == lock;
}

// Returns whether releasing this lock needs more than the original function: pending waits to write, or an
// experiment's delay.
static inline bool mt_lock_concerns(const void *lock) {
  struct thread *t = mt_thread_get();
  return (uintptr_t)t > (uintptr_t)MT_THREAD_GONE && (t->held == lock || mt_delays(t) != 0);
}

// Called before the calling thread releases a lock. An experiment may delay the release, to measure what holding the
// lock longer costs.
static inline void mt_lock_releasing(const void *lock) {
  struct thread *t = mt_delayed_thread();
  if (t) mt_delay_lock(t, lock);
}

// Called when the calling thread has released a lock: writes the waits that were stored until this release.
static inline void mt_lock_given_back(const void *lock) {
  if (__builtin_expect(mt_lock_is_owed(lock), 0)) mt_lock_unlocked(mt_thread_get());
}

// Called when the calling thread has acquired a mutex whose owner the system does not show. mt_handoff_touch notes
// the mutex, because two threads that lock the same mutex may hand work to each other. The GIL's mutex is not noted:
// all Python threads lock it constantly.
static inline void mt_lock_taken(const void *lock, bool waited) {
  mt_handoff_hold(lock, waited);
  if (!mt_python_has(lock)) mt_handoff_touch(lock);
}

// Returns the StringID (the hash that stands for a text in the trace) of "in FUNCTION", the function of the program
// that waits at the address waiter.
uint64_t mt_lock_waiter_name(struct thread *t, const void *waiter);

// Return whether an interpreter's lock (the GIL) is at this address. mt_lock_is_named recognizes a lock outside the
// data of a known interpreter by the name of the variable that contains it.
bool mt_lock_is_named(const void *lock);
static inline bool mt_lock_is_interpreters(const void *lock) { return mt_python_has(lock) || mt_lock_is_named(lock); }

// mt_lock_known_interpreters is a faster mt_lock_is_interpreters: it looks up no name. It returns false for an
// interpreter's lock for which no thread has waited yet.
extern MT_HIDDEN _Atomic bool mt_locks_named; // true once mt_lock_is_named has found an interpreter's lock
bool mt_lock_was_named(const void *lock);
static inline bool mt_lock_known_interpreters(const void *lock) {
  return mt_python_has(lock) || (atomic_load_explicit(&mt_locks_named, memory_order_relaxed) &&
      mt_lock_was_named(lock));
}
#endif
