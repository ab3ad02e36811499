// One call, from entry to return: the hot path.
//
// Rule: of the calls of one family that are in progress on a thread, the outermost is recorded and the inner ones are counted:
// Metal's methods call each other, classes call super, and wrappers call what they wrap. "In progress" is the frame
// address of the outermost call's trampoline: an inner call lies deeper. An exception that passes closes the call: see
// unwind.h. longjmp does not say that it passes; the next call that is not deeper finds that out by comparing.
//
// The current-call words let a collector see what a thread was inside when it hung or died: see region.h.
#ifndef MTRACE_SPAN_H
#define MTRACE_SPAN_H
#include "clock.h"
#include "identity.h"
#include "objc.h"
#include "thread.h"
#include "unwind.h"

struct span {
  struct thread *thread;
  uint64_t begin;
  uint64_t outer_begin, outer_current; // the call of another family this one is inside of
  uint32_t object;
};

// Enters a call. False when it is not to be recorded: then only the original is called.
static inline __attribute__((always_inline)) bool span_enter(struct span *s, unsigned family, id self) {
  struct thread *t = mt_thread();
  if (__builtin_expect(t == NULL, 0)) return false;
  UNWIND_PERSONALITY;
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0), outer = t->inside[family].frame;
  if (__builtin_expect(outer != 0, 0)) {
    if (frame < outer) {
      mt_count(&mt_region->nested);
      return false;
    }
    atomic_store_explicit(&t->ring->current, 0, memory_order_relaxed); // left by longjmp
  }
  t->inside[family].frame = frame;
  s->thread = t;
  s->object = mt_identity_of(self);
  return true;
}

// Starts the clock of a call that was entered: the last thing before the original.
static inline __attribute__((always_inline)) void span_start(struct span *s, unsigned family, unsigned call) {
  struct inside *inside = &s->thread->inside[family];
  struct ring *ring = s->thread->ring;
  s->outer_begin = atomic_load_explicit(&ring->current_begin, memory_order_relaxed);
  s->outer_current = atomic_load_explicit(&ring->current, memory_order_relaxed);
  inside->current = s->object | (uint64_t)call << 32;
  inside->begin = s->begin = mt_ticks();
  atomic_store_explicit(&ring->current_begin, s->begin, memory_order_relaxed);
  atomic_store_explicit(&ring->current, inside->current, memory_order_release);
}

// Ends a call and publishes it. More is NULL or the record that goes with it.
static inline __attribute__((always_inline)) void span_end(struct span *s, uint64_t end, unsigned family, unsigned call, unsigned flags, uint64_t arg,
                                                           const struct record *more) {
  struct thread *t = s->thread;
  struct record records[2];
  records[0] = (struct record){s->begin, end, arg, s->object, (uint16_t)call, (uint16_t)(flags | (more ? MT_FLAG_HAS_MORE : 0))};
  if (more) records[1] = *more;
  mt_thread_publish(t, records, more ? 2 : 1);
  atomic_store_explicit(&t->ring->current_begin, s->outer_begin, memory_order_relaxed);
  atomic_store_explicit(&t->ring->current, s->outer_current, memory_order_release);
  t->inside[family].frame = 0;
}
#endif
