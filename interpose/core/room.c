// See room.h.
#include "core/room.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/clock.h"
#include "system/doorbell.h"
#include "core/session.h"
#include "system/own.h"

// A thread that waits for space in its ring (its buffer of records) sleeps between two reads of the ring's tail:
// first for SHORTEST_PAUSE, then longer each time, up to LONGEST_PAUSE. It checks only every COLLECTOR_PAUSE whether
// the collector is alive, because that takes system calls.
enum { SHORTEST_PAUSE = 50000, LONGEST_PAUSE = 2000000, COLLECTOR_PAUSE = 20000000 }; // nanoseconds

static bool block;
static uint64_t limit; // in nanoseconds; 0 is none

void mt_room_start(void) {
  const char *on_full = getenv("MTRACE_ON_FULL"), *milliseconds = getenv("MTRACE_BLOCK_LIMIT_MS");
  block = on_full && strcmp(on_full, "block") == 0;
  limit = milliseconds ? strtoull(milliseconds, NULL, 10) * 1000000 : 0;
}

static bool come(const _Atomic uint64_t *tail, uint64_t wanted) {
  return (int64_t)(atomic_load_explicit(tail, memory_order_acquire) - wanted) >= 0;
}

static bool wait_until(const _Atomic uint64_t *tail, uint64_t wanted) {
  uint64_t began = mt_nanos(), look = began + COLLECTOR_PAUSE;
  for (long pause = SHORTEST_PAUSE; !come(tail, wanted); pause = pause < LONGEST_PAUSE ? pause + pause / 4 :
      LONGEST_PAUSE) {
    uint64_t now = mt_nanos();
    if (limit && now - began >= limit) return false;
    if (now >= look) {
      if (mt_session_over()) return come(tail, wanted);
      look = now + COLLECTOR_PAUSE;
    }
    mt_own_nanosleep(&(struct timespec){0, pause}, NULL);
  }
  return true;
}

bool mt_room_wait(const _Atomic uint64_t *tail, uint64_t wanted, uint64_t *stuck) {
  if (!block || atomic_load_explicit(tail, memory_order_relaxed) == *stuck) return false;
  int cancel;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  mt_doorbell_ring();
  bool room = wait_until(tail, wanted);
  if (!room) *stuck = atomic_load_explicit(tail, memory_order_relaxed);
  pthread_setcancelstate(cancel, &cancel);
  return room;
}
