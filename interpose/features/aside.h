// Brackets Metal calls that the tracer itself makes on a thread of the program, so that none of them gets into the
// trace.
//
// Rule: between begin and end, the tracer's calls must look like inner calls of a call in progress, which are only
// counted (span.h). For that, the frame address of the outermost call is set above all stack frames, in each family
// (a kind of objects, such as queues). mt_aside_end restores the counters, otherwise the tracer's calls would count
// as the program's.
#ifndef MTRACE_ASIDE_H
#define MTRACE_ASIDE_H
#include <stdatomic.h>
#include "core/thread.h"

struct mt_aside {
  uintptr_t frames[MT_FAMILY_COUNT];
  uint64_t nested[MT_NESTED_FAMILIES];
};

static inline void mt_aside_begin(struct thread *t, struct mt_aside *aside) {
  for (int i = 0; i < MT_NESTED_FAMILIES; i++) aside->nested[i] = atomic_load_explicit(&t->ring->nested[i],
      memory_order_relaxed);
  for (int i = 0; i < MT_FAMILY_COUNT; i++) {
    aside->frames[i] = t->inside[i].frame;
    t->inside[i].frame = UINTPTR_MAX;
  }
  t->own_work = true;
}

static inline void mt_aside_end(struct thread *t, const struct mt_aside *aside) {
  t->own_work = false;
  for (int i = 0; i < MT_FAMILY_COUNT; i++) t->inside[i].frame = aside->frames[i];
  for (int i = 0; i < MT_NESTED_FAMILIES; i++) atomic_store_explicit(&t->ring->nested[i], aside->nested[i],
      memory_order_relaxed);
  t->made_inside_count = 0;
}
#endif
