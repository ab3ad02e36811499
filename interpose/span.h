// One call, from entry to return: the hot path.
//
// Rule: of the calls of one family that are in progress on a thread, the outermost is recorded and the inner ones are counted:
// Metal's methods call each other, classes call super, and wrappers call what they wrap. "In progress" is the frame address of the
// outermost call's trampoline: an inner call lies deeper. A frame that was left by longjmp never says that it ended; the next
// call that is not deeper finds that out by comparing. A frame that was left by an exception or a cancelled thread is closed by
// its cleanup.
//
// The current-call words let a collector see what a thread was inside when it hung or died: see region.h.
#ifndef MTRACE_SPAN_H
#define MTRACE_SPAN_H
#include "clock.h"
#include "identity.h"
#include "objc.h"
#include "thread.h"

// What stays on the stack for the cleanup: NULL when the call is not recorded or has ended.
struct span_guard {
  struct thread *thread;
  unsigned family;
};

struct span {
  struct thread *thread;
  uint64_t begin;
  uint64_t outer_begin, outer_current; // the call of another family this one is inside of
  uint32_t object;
};

static inline void span_unwind(struct span_guard *guard) {
  if (__builtin_expect(guard->thread != NULL, 0)) {
    guard->thread->inside[guard->family] = NULL;
    atomic_store_explicit(&guard->thread->ring->current, 0, memory_order_relaxed);
  }
}
#define SPAN_GUARD __attribute__((cleanup(span_unwind)))

// Enters a call. False when it is not to be recorded: then only the original is called.
static inline __attribute__((always_inline)) bool span_enter(struct span *s, struct span_guard *guard, unsigned family, id self) {
  struct thread *t = mt_thread();
  guard->thread = NULL;
  if (__builtin_expect(t == NULL, 0)) return false;
  const void *frame = __builtin_frame_address(0), *outer = t->inside[family];
  if (__builtin_expect(outer != NULL, 0)) {
    if (frame < outer) {
      mt_count(&mt_region->nested);
      return false;
    }
    atomic_store_explicit(&t->ring->current, 0, memory_order_relaxed); // left by longjmp
  }
  t->inside[family] = frame;
  guard->thread = s->thread = t;
  guard->family = family;
  s->object = mt_identity_of(self);
  return true;
}

// Starts the clock of a call that was entered: the last thing before the original.
static inline __attribute__((always_inline)) void span_start(struct span *s, unsigned call) {
  struct ring *ring = s->thread->ring;
  s->outer_begin = atomic_load_explicit(&ring->current_begin, memory_order_relaxed);
  s->outer_current = atomic_load_explicit(&ring->current, memory_order_relaxed);
  s->begin = mt_ticks();
  atomic_store_explicit(&ring->current_begin, s->begin, memory_order_relaxed);
  atomic_store_explicit(&ring->current, s->object | (uint64_t)call << 32, memory_order_release);
}

// Ends a call and publishes it. More is NULL or the record that goes with it.
static inline __attribute__((always_inline)) void span_end(struct span *s, struct span_guard *guard, uint64_t end, unsigned call, unsigned flags, uint64_t arg,
                                                           const struct record *more) {
  struct thread *t = s->thread;
  struct record records[2];
  records[0] = (struct record){s->begin, end, arg, s->object, (uint16_t)call, (uint16_t)(flags | (more ? MT_FLAG_HAS_MORE : 0))};
  if (more) records[1] = *more;
  mt_thread_publish(t, records, more ? 2 : 1);
  atomic_store_explicit(&t->ring->current_begin, s->outer_begin, memory_order_relaxed);
  atomic_store_explicit(&t->ring->current, s->outer_current, memory_order_release);
  t->inside[guard->family] = NULL;
  guard->thread = NULL;
}
#endif
