// Measures what the tracer adds to each recorded call, by running the same functions. Rule: it does so on the tracer's
// own thread, with a ring (a buffer of records) of its own that nobody reads. So no thread of the program is delayed,
// and no record and no object number of the program is used up. Several rounds are measured; their median ignores
// rounds that were interrupted.
#include "top/cost.h"
#include <stdlib.h>
#include <sys/mman.h>
#include "hook/span.h"

enum { CALLS = 64, ROUNDS = 9 };

static __attribute__((noinline)) void call_nothing(id object) {
  struct span s;
  if (mt_span_begin(&s, MT_FAMILY_encoder, 0, object, (uintptr_t)__builtin_frame_address(0))) mt_span_end(&s,
      mt_ticks(), MT_FAMILY_encoder, 0, 0);
}

static int by_size(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

uint64_t mt_cost_of_call(void) {
  struct ring *ring = mmap(NULL, sizeof *ring, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (ring == MAP_FAILED) return 0;
  struct thread mine = {.index = MT_THREADS - 1, .ring = ring, .look_again = CALLS};
  struct thread *before = mt_thread_get();
  mt_thread_set(&mine);
  mt_identity_alias(&mine, 1); // give the object a number, as the object of an ordinary call has one
  uint64_t took[ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    mine.head = 0;
    uint64_t begin = mt_nanos();
    for (int i = 0; i < CALLS; i++) call_nothing((id)&mine);
    took[round] = mt_nanos() - begin;
  }
  mt_identity_retire(&mine);
  mt_thread_set(before);
  munmap(ring, sizeof *ring);
  qsort(took, ROUNDS, sizeof *took, by_size);
  return took[ROUNDS / 2] * 1000 / CALLS;
}
