// Waits for locks. Rule: a lock is tried first, and only when it is taken is the clock read: an uncontended lock costs a
// call more, and noting it among what the thread has touched (handoff.h). In a process that does not use Metal every function goes straight to its original.
//
// What counts as a wait for a lock: mutexes, read-write locks and serial dispatch queues. A wait on a condition variable or a
// semaphore is one for a signal, which is another thing: a thread pool waits for work that way. The exception is a condition variable
// that is the lock of a language interpreter.
#ifndef MTRACE_LOCKS_H
#define MTRACE_LOCKS_H
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include "process.h"
#include "thread.h"

// Are waits recorded now?
static inline bool mt_locks_on(void) { return atomic_load_explicit(&mt_state, memory_order_relaxed) == MT_ACTIVE; }

// Is the calling thread about work of the tracer's, for which it may wait for locks of the runtime's?
static inline bool mt_locks_own(void) {
  struct thread *t = mt_thread_get();
  return (uintptr_t)t > (uintptr_t)MT_THREAD_GONE && t->own_work;
}

// Are waits for signals recorded now? Not inside a Metal call: what Metal waits for there is the call's own affair.
static inline bool mt_signals_on(void) {
  if (!mt_locks_on()) return false;
  struct thread *t = mt_thread_get();
  return (uintptr_t)t <= (uintptr_t)MT_THREAD_GONE || (!t->own_work && atomic_load_explicit(&t->ring->current, memory_order_relaxed) == 0);
}

// Records a wait that began at the given tick and is over. The lock is named after the symbol at its address, or else after the
// function that waited. Keeps errno.
void mt_lock_waited(unsigned call, const void *lock, uint64_t begin, uint64_t holder, const char *label, void *waiter);

// The same of a wait that was over at another tick than now.
void mt_lock_waited_until(uint64_t end, unsigned call, const void *lock, uint64_t begin, uint64_t holder, const char *label, void *waiter);

// Records a wait for a signal that began at the given tick and is over, with who gave the signal. Failed: none came. Keeps errno.
void mt_signal_waited(unsigned call, const void *object, uint64_t begin, bool failed, void *waiter);

// Is there an interpreter's lock at this address? Known: without looking, so false for one that no thread has waited for yet.
bool mt_lock_is_interpreters(const void *lock);
bool mt_lock_known_interpreters(const void *lock);

// For the tracer's own mutexes and semaphores: the originals.
void mt_own_lock(pthread_mutex_t *mutex);
void mt_own_unlock(pthread_mutex_t *mutex);
#ifdef __linux__
int mt_own_sem_wait(sem_t *semaphore);
int mt_own_sem_timedwait(sem_t *semaphore, const struct timespec *until);
int mt_own_sem_post(sem_t *semaphore);
#endif
#endif
