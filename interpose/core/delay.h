// The delays of an experiment: the collector changes one thing in the running program and measures what that costs it.
//
// Rule: without an experiment a call pays one load of its ring's word and a branch that is not taken. A delay is
// counted in the ring of its thread, as measured, and never recorded. The collector's table says when delays end, so if
// the collector dies, the program continues at its own speed.
//
// A delay in a call is part of what is timed, as if the call took longer; one of the thread's own code stands before
// the call. Inside another delay, of a signal handler, there is none, nor in what the tracer itself does.
#ifndef MTRACE_DELAY_H
#define MTRACE_DELAY_H
#include "core/clock.h"
#include "core/thread.h"

// What of the thread is delayed: MT_DELAY_*; 0 nearly always.
static inline unsigned mt_delays(const struct thread *t) {
  return atomic_load_explicit(&t->ring->delays, memory_order_relaxed);
}
static inline bool mt_delayed(const struct thread *t) { return __builtin_expect(mt_delays(t) != 0, 0); }

// The same of the calling thread, which may have no ring.
static inline struct thread *mt_delayed_thread(void) {
  struct thread *t = mt_thread_get();
  return (uintptr_t)t > (uintptr_t)MT_THREAD_GONE && mt_delayed(t) ? t : NULL;
}

// What is delayed, once mt_delayed is true: the thread's own code before a call, a call before its original, a call
// that waits when its original has returned, the release of a lock, a completion handler. They keep errno.
void mt_delay_own(struct thread *t, unsigned call);
void mt_delay_call(struct thread *t, unsigned call);
void mt_delay_wait(struct thread *t, unsigned call);
void mt_delay_lock(struct thread *t, const void *lock);
void mt_delay_handler(struct thread *t);

// The end of a call that waits.
static inline uint64_t mt_delay_end(struct thread *t, unsigned call, uint64_t end) {
  if (!mt_delayed(t)) return end;
  mt_delay_wait(t, call);
  return mt_ticks();
}

// Virtual speed-ups: the calling thread is about to wait, and pauses for what it is due before that; another thread has
// ended its wait, and has paused for it.
void mt_delay_pause(struct thread *t);
void mt_delay_woken(struct thread *t);

// A unit of progress, if that is what counts as one: a completed command buffer (name 0), or a mark.
void mt_delay_unit(struct thread *t, uint64_t ticks, uint64_t name);
static inline void mt_progress(struct thread *t, uint64_t ticks, uint64_t name) {
  if (__builtin_expect(atomic_load_explicit(&mt_region->delay_sequence, memory_order_relaxed) != 0, 0))
    mt_delay_unit(t, ticks, name);
}

// A thread has taken a ring.
void mt_delay_open(struct thread *t);
#endif
