// The delays of an experiment: the collector delays one kind of call or lock in the running program and measures how
// much progress that costs.
//
// Rule: without an experiment, a call costs only one load of its ring's delay word and a branch that is not taken. A
// delay is counted in the ring of its thread, with its measured length, and is never recorded as a call. The
// collector's table says when delays end, so that the program runs at full speed again if the collector dies.
//
// A delay of a call lengthens the recorded call. A delay of the thread's own code comes before the call, and is not
// part of it. A delay never starts inside another delay (for example in a signal handler), nor in the tracer's own
// work.
#ifndef MTRACE_DELAY_H
#define MTRACE_DELAY_H
#include "core/clock.h"
#include "core/thread.h"

// Returns which kinds of this thread's code an experiment delays now, as MT_DELAY_* bits; 0 without an experiment.
static inline unsigned mt_delays(const struct thread *t) {
  return atomic_load_explicit(&t->ring->delays, memory_order_relaxed);
}
static inline bool mt_delayed(const struct thread *t) { return __builtin_expect(mt_delays(t) != 0, 0); }

// Returns the calling thread if it has a ring (a buffer for records) and an experiment delays some of its code;
// otherwise NULL.
static inline struct thread *mt_delayed_thread(void) {
  struct thread *t = mt_thread_get();
  return (uintptr_t)t > (uintptr_t)MT_THREAD_GONE && mt_delayed(t) ? t : NULL;
}

// Each function injects the experiment's delay into one kind of code, if the experiment chose that kind and this call
// or lock. Call them only if mt_delayed is true. mt_delay_own: the thread's own code, before a call. mt_delay_call: a
// call, before the original method runs. mt_delay_wait: a call that waits, after the original has returned.
// mt_delay_lock: the release of a lock. mt_delay_handler: a completion handler. All of them keep errno.
void mt_delay_own(struct thread *t, unsigned call);
void mt_delay_call(struct thread *t, unsigned call);
void mt_delay_wait(struct thread *t, unsigned call);
void mt_delay_lock(struct thread *t, const void *lock);
void mt_delay_handler(struct thread *t);

// Injects the experiment's delay at the end of a call that waits, if it was chosen. Returns the tick at which the call
// ends: `end` without a delay, otherwise the tick after the delay.
static inline uint64_t mt_delay_end(struct thread *t, unsigned call, uint64_t end) {
  if (!mt_delayed(t)) return end;
  mt_delay_wait(t, call);
  return mt_ticks();
}

// Virtual speed-ups: instead of making one thread faster, all other threads are paused for the same time.
// mt_delay_pause is called before a thread waits, and pauses it for the time that it still owes. mt_delay_woken is
// called after another thread has ended the wait. It cancels the time that this thread owes: the waking thread has
// already paused, and this thread waited meanwhile.
void mt_delay_pause(struct thread *t);
void mt_delay_woken(struct thread *t);

// Called at an event that may be a unit of progress. If the experiment measures progress by this kind of event, counts
// it in the thread's ring (its buffer of records in shared memory). `ticks` is when the event happened. `name` is 0 for
// a completed command buffer; for a mark it is the StringID, the hash that stands for the mark's text.
void mt_delay_unit(struct thread *t, uint64_t ticks, uint64_t name);
static inline void mt_progress(struct thread *t, uint64_t ticks, uint64_t name) {
  if (__builtin_expect(atomic_load_explicit(&mt_region->delay_sequence, memory_order_relaxed) != 0, 0))
    mt_delay_unit(t, ticks, name);
}

// Called when a thread has taken a ring (a buffer for its records). An earlier thread may have used the ring, so this
// resets its state: the new thread owes no pauses for the time before it, and gets the experiment's current kinds of
// delay.
void mt_delay_open(struct thread *t);
#endif
