// What the programs of these tests share: what must be true, and what the calling thread has recorded of its waits.
#ifndef CHECK_H
#define CHECK_H
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "waits/locks.h"
#include "core/thread.h"

#define CHECK(right) ((right) ? (void)0 : failed(__FILE__, __LINE__, #right))
__attribute__((noreturn)) static inline void failed(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  exit(3);
}

extern void *MTLCreateSystemDefaultDevice(void);

static inline void pause_ms(int ms) { usleep((useconds_t)ms * 1000); }

// A wait as it was recorded.
struct wait {
  unsigned call, flags;
  const void *object;
  uint64_t begin, end, by; // by: who held or who signalled
  uint32_t bits;
};

static inline bool is_wait_record(const struct record *r) {
  return (r->call >= MT_CALL_lock_pthread_mutex_lock && r->call <= MT_CALL_lock_dispatch_semaphore_wait) ||
         (r->call >= MT_CALL_signal_pthread_cond_wait && r->call <= MT_CALL_signal_dispatch_group_wait) ||
         (r->call >= MT_CALL_lock_dispatch_async_and_wait && r->call <= MT_CALL_lock_dispatch_barrier_async_and_wait_f);
}

// The next wait that the calling thread has recorded, written down or not. False when there is none.
static inline bool next_wait(struct wait *w) {
  static _Thread_local uint64_t seen;
  struct thread *t = mt_thread();
  CHECK(t);
  mt_lock_write_down(t);
  for (; seen < t->head; seen++) {
    const struct record *r = mt_ring_slot(t->ring, seen), *more = mt_ring_slot(t->ring, seen + 1);
    if (!is_wait_record(r)) continue;
    CHECK(more->call == MT_CALL_tracer_more && r->flags & MT_FLAG_HAS_MORE && r->begin <= r->end);
    *w = (struct wait){r->call, r->flags & MT_FLAG_FAILED, (const void *)more->end, r->begin, r->end, r->arg, r->object};
    seen += 2;
    return true;
  }
  return false;
}

// Nothing more was recorded of the calling thread's waits.
static inline void no_wait(void) {
  struct wait w;
  bool any = next_wait(&w);
  if (any) fprintf(stderr, "a wait of call %u for %p is recorded\n", w.call, w.object);
  CHECK(!any);
}
#endif
