// What happens at the begin and the end of every recorded call. All trampolines (the functions that replace hooked
// methods) share these functions, because two thousand inlined copies would cost more in instruction cache than two
// function calls.
//
// The functions for the usual case save no registers, because they call other functions only as their last step. In
// every rare case (a thread's first call, a stack, a full ring) they leave the whole work to a separate function.
#include "hook/span.h"
#include "hook/canary.h"
#include "core/delay.h"
#include "stacks/stack.h"

#define SELDOM __attribute__((noinline, cold))

bool mt_span_enter(struct span *s, unsigned family, unsigned call, id self, uintptr_t frame) {
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
  s->current = mt_record_rest(mt_identity_of(self), call, 0);
  return true;
}

// Stores the begin of a call in the header of the thread's ring (its buffer of records in shared memory). So the
// collector sees in which call the thread hangs or dies. Memory order: current is stored last, with release, so that it
// never appears with the current_begin of another call. Words are stored whole, as in mt_record_put.
static inline void show(struct span *s, struct thread *t, unsigned family, uint64_t begin, uint64_t current) {
  struct ring *ring = t->ring;
  s->begin = begin;
  s->outer_current = atomic_load_explicit(&ring->current, memory_order_relaxed);
  if (__builtin_expect(s->outer_current != 0, 0)) s->outer_begin = atomic_load_explicit(&ring->current_begin,
      memory_order_relaxed);
  __atomic_store_n(&t->inside[family].begin, begin, __ATOMIC_RELAXED);
  __atomic_store_n(&t->inside[family].current, current, __ATOMIC_RELAXED);
  atomic_store_explicit(&ring->current_begin, begin, memory_order_relaxed);
  atomic_store_explicit(&ring->current, current, memory_order_release);
}

static SELDOM void start_delayed(struct span *s, struct thread *t, unsigned family, unsigned call) {
  mt_delay_own(t, call);
  show(s, t, family, mt_stack_begin(t, call, t->inside[family].frame), s->current);
  mt_delay_call(t, call);
}

void mt_span_start(struct span *s, unsigned family, unsigned call) {
  struct thread *t = s->thread;
  if (mt_delayed(t)) {
    start_delayed(s, t, family, call);
    return;
  }
  show(s, t, family, mt_stack_begin(t, call, t->inside[family].frame), s->current);
}

// Begins a call in a process where reading the clock is a function call. It is a separate function because a function
// that calls another must save registers, which would slow down the usual case.
static __attribute__((noinline)) bool begin_by_nanos(struct span *s, struct thread *t, unsigned family,
    uint64_t current) {
  show(s, t, family, mt_nanos(), current);
  return true;
}

static SELDOM bool begin_otherwise(struct span *s, unsigned family, unsigned call, id self, uintptr_t frame) {
  if (!mt_span_enter(s, family, call, self, frame)) return false;
  mt_span_start(s, family, call);
  return true;
}

bool mt_span_begin(struct span *s, unsigned family, unsigned call, id self, uintptr_t frame) {
  struct thread *t = mt_thread_get();
  if (__builtin_expect((uintptr_t)t <= (uintptr_t)MT_THREAD_GONE, 0)) return begin_otherwise(s, family, call, self,
      frame);
  uint32_t object = mt_identity_known(self);
  if (__builtin_expect(t->inside[family].frame != 0 || object == 0 || t->stacks != NULL || mt_delays(t) != 0, 0))
    return begin_otherwise(s, family, call, self, frame);
  uint64_t current = object | (uint64_t)call << 32;
  t->inside[family].frame = frame;
  s->thread = t;
  s->current = current;
  if (__builtin_expect(mt_clock_kind != MT_CLOCK_QUICK, 0)) return begin_by_nanos(s, t, family, current);
  show(s, t, family, mt_ticks_quick(), current);
  return true;
}

// Called when a call is over. It restores the enclosing call, or none, as the current call in the header of the
// thread's ring (its buffer of records in shared memory). It also wakes the drainer (the tracer's thread that sends
// records to the collector) if the drainer sleeps.
static inline void hide(const struct span *s, struct thread *t, struct ring *ring, unsigned family) {
  uint64_t outer = s->outer_current;
  if (__builtin_expect(outer != 0, 0)) atomic_store_explicit(&ring->current_begin, s->outer_begin,
      memory_order_relaxed);
  atomic_store_explicit(&ring->current, outer, memory_order_release);
  t->inside[family].frame = 0;
  mt_thread_wake();
}

static SELDOM void end_otherwise(struct span *s, uint64_t end, unsigned family, unsigned flags, uint64_t arg,
    const uint64_t *more) {
  struct thread *t = s->thread;
  if (t->canary) {
    mt_canary_seen(t, (uint16_t)(s->current >> 32));
  } else if (mt_thread_make_room(t, more ? 2 : 1)) {
    if (more)
      mt_span_end_more(s, end, family, flags, arg, more);
    else
      mt_span_end(s, end, family, flags, arg);
    return;
  }
  hide(s, t, t->ring, family);
}

void mt_span_end(struct span *s, uint64_t end, unsigned family, unsigned flags, uint64_t arg) {
  struct thread *t = s->thread;
  struct ring *ring = t->ring;
  uint64_t head = t->head;
  if (__builtin_expect(head + 1 > t->look_again, 0)) {
    end_otherwise(s, end, family, flags, arg, NULL);
    return;
  }
  mt_thread_write(t);
  mt_record_put(mt_ring_slot(ring, head), s->begin, end, arg, s->current | mt_record_flags(flags));
  mt_thread_move_head(t, ring, head + 1);
  hide(s, t, ring, family);
}

void mt_span_end_more(struct span *s, uint64_t end, unsigned family, unsigned flags, uint64_t arg,
    const uint64_t more[3]) {
  struct thread *t = s->thread;
  struct ring *ring = t->ring;
  uint64_t head = t->head;
  if (__builtin_expect(head + 2 > t->look_again, 0)) {
    end_otherwise(s, end, family, flags, arg, more);
    return;
  }
  mt_thread_write(t);
  mt_record_put(mt_ring_slot(ring, head), s->begin, end, arg, s->current | mt_record_flags(flags | MT_FLAG_HAS_MORE));
  mt_record_put(mt_ring_slot(ring, head + 1), more[0], more[1], more[2], mt_record_rest(0, MT_CALL_tracer_more, 0));
  mt_thread_move_head(t, ring, head + 2);
  hide(s, t, ring, family);
}

// Records that an object is released inside another call. Returns false in two cases, in which the release belongs to
// the current call: the call itself releases the object, whose number is then already removed; or the object is inside
// the wrapper that is the call's receiver, and has the wrapper's number.
bool mt_span_freed(unsigned family, unsigned call, unsigned flags, id self) {
  struct thread *t = mt_thread_get();
  if ((uintptr_t)t <= (uintptr_t)MT_THREAD_GONE) return false;
  uint32_t number = mt_identity_retire(self);
  if (t->inside[family].frame) { // take back the count of this inner call: a release is not a call of the program
    _Atomic uint64_t *nested = &t->ring->nested[family];
    atomic_store_explicit(nested, atomic_load_explicit(nested, memory_order_relaxed) - 1, memory_order_relaxed);
  }
  // 0 is no number; a number with the highest bit set belongs to a lock that was once at this address
  if ((int32_t)number <= 0 || number == (uint32_t)t->inside[family].current) return false;
  uint64_t now = mt_ticks();
  struct record record = {.begin = now, .end = now, .object = number, .call = (uint16_t)call, .flags = (uint16_t)flags};
  mt_thread_publish(t, &record, 1);
  return true;
}
