// The delays of an experiment: the collector delays one kind of call or lock in the running program and measures how
// much progress that costs.
//
// Rule: without an experiment a call costs one load of its ring's delay word and a branch that is not taken. A delay is
// counted in the ring of its thread, with its measured length, and never recorded as a call. The collector's table has
// the time at which delays end, so if the collector dies, the program continues at its own speed.
//
// A delay in a call is part of the timed call, as if the call took longer; a delay of the thread's own code comes
// before the call. There are no delays inside another delay, such as one of a signal handler, nor in the tracer's own
// work.
#ifndef MTRACE_DELAY_H
#define MTRACE_DELAY_H
#include "core/clock.h"
#include "core/thread.h"

// The kinds of code of the thread that are delayed: MT_DELAY_*; 0 nearly always.
static inline unsigned mt_delays(const struct thread *t) {
  return atomic_load_explicit(&t->ring->delays, memory_order_relaxed);
}
static inline bool mt_delayed(const struct thread *t) { return __builtin_expect(mt_delays(t) != 0, 0); }

// The calling thread, if it has a ring and some of its code is delayed; otherwise NULL.
static inline struct thread *mt_delayed_thread(void) {
  struct thread *t = mt_thread_get();
  return (uintptr_t)t > (uintptr_t)MT_THREAD_GONE && mt_delayed(t) ? t : NULL;
}

// Delays, once mt_delayed is true, of the thread's own code before a call, of a call before its original, of a call
// that waits when its original has returned, of the release of a lock, and of a completion handler. They keep errno.
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

// Virtual speed-ups. The first function pauses the calling thread, which is about to wait, for the time that it still
// has to pause. The second is called when another thread has ended the wait: that thread has paused for it.
void mt_delay_pause(struct thread *t);
void mt_delay_woken(struct thread *t);

// Counts a unit of progress if the experiment counts this event: a completed command buffer (name 0), or a mark.
void mt_delay_unit(struct thread *t, uint64_t ticks, uint64_t name);
static inline void mt_progress(struct thread *t, uint64_t ticks, uint64_t name) {
  if (__builtin_expect(atomic_load_explicit(&mt_region->delay_sequence, memory_order_relaxed) != 0, 0))
    mt_delay_unit(t, ticks, name);
}

// A thread has taken a ring.
void mt_delay_open(struct thread *t);
#endif
