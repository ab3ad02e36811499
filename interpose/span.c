// The hot path, once for all trampolines: two thousand copies of it would cost more in instruction cache than three calls do.
#include "span.h"
#include "canary.h"
#include "coverage.h"
#include "stack.h"

bool mt_span_enter(struct span *s, unsigned family, id self, uintptr_t frame) {
  struct thread *t = mt_thread();
  if (__builtin_expect(t == NULL, 0)) return false;
  struct inside *inside = &t->inside[family];
  if (__builtin_expect(inside->frame != 0, 0)) {
    if (frame < inside->frame) {
      mt_tally(&t->ring->nested[family]);
      return false;
    }
    atomic_store_explicit(&t->ring->current, 0, memory_order_relaxed); // left by longjmp
  }
  inside->frame = frame;
  s->thread = t;
  s->object = mt_identity_of(self);
  return true;
}

void mt_span_start(struct span *s, unsigned family, unsigned call) {
  struct inside *inside = &s->thread->inside[family];
  struct ring *ring = s->thread->ring;
  s->outer_begin = atomic_load_explicit(&ring->current_begin, memory_order_relaxed);
  s->outer_current = atomic_load_explicit(&ring->current, memory_order_relaxed);
  inside->current = s->object | (uint64_t)call << 32;
  inside->begin = s->begin = mt_stack_begin(s->thread, call, inside->frame);
  atomic_store_explicit(&ring->current_begin, s->begin, memory_order_relaxed);
  atomic_store_explicit(&ring->current, inside->current, memory_order_release);
}

void mt_span_end(struct span *s, uint64_t end, unsigned family, unsigned call, unsigned flags, uint64_t arg, const struct record *more) {
  struct thread *t = s->thread;
  if (__builtin_expect(mt_thread_room(t, more ? 2 : 1), 1)) {
    mt_record_put(mt_thread_slot(t, 0), s->begin, end, arg, mt_record_rest(s->object, call, flags | (more ? MT_FLAG_HAS_MORE : 0)));
    if (more) mt_record_put(mt_thread_slot(t, 1), more->begin, more->end, more->arg, mt_record_rest(0, MT_CALL_tracer_more, 0));
    mt_thread_advance(t, more ? 2 : 1);
  } else if (t->canary) {
    mt_canary_seen(t, call);
  }
  atomic_store_explicit(&t->ring->current_begin, s->outer_begin, memory_order_relaxed);
  atomic_store_explicit(&t->ring->current, s->outer_current, memory_order_release);
  t->inside[family].frame = 0;
}
