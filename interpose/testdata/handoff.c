// Threads signal, each objects of its own, in a table that has an entry for every eighth of them: whatever is read of an object is
// either not known or the thread whose object it is. Prints how often it was known.
#include "waits/handoff.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/thread.h"

_Thread_local struct thread *mt_thread_pointer;
uint32_t mt_clock_kind;
#ifdef __linux__
mt_clock_reader mt_clock_gettime = clock_gettime;
#endif

enum { THREADS = 4, OBJECTS = 1000, LAPS = 20 };
static char objects[THREADS][OBJECTS][48];
static _Atomic uint64_t ids[THREADS];
static _Atomic int started;

static void *signals(void *argument) {
  int own = (int)(intptr_t)argument;
  atomic_store(&ids[own], (uint64_t)syscall(SYS_gettid));
  atomic_fetch_add(&started, 1);
  while (atomic_load(&started) < THREADS) {
  }
  uint64_t begin = mt_ticks();
  long known = 0;
  for (int lap = 0; lap < LAPS; lap++) {
    for (int i = 0; i < OBJECTS; i++) {
      mt_handoff_take(objects[own][i], i % 2);
      mt_handoff_give(objects[own][i], i % 3);
      int other = (own + i) % THREADS, which = (i * 7 + lap) % OBJECTS;
      struct handoff h = mt_handoff_read(objects[other][which], begin, mt_ticks());
      uint64_t taker = mt_handoff_taker(objects[other][which]);
      if ((h.by && h.by != atomic_load(&ids[other])) || (taker && taker != atomic_load(&ids[other]))) {
        fprintf(stderr, "an object of thread %lu was signalled by %lu and taken by %lu\n", (unsigned long)atomic_load(&ids[other]), (unsigned long)h.by, (unsigned long)taker);
        exit(1);
      }
      known += h.by != 0;
    }
  }
  return (void *)known;
}

int main(void) {
  pthread_t threads[THREADS];
  long known = 0;
  for (intptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, signals, (void *)i);
  for (int i = 0; i < THREADS; i++) {
    void *result;
    pthread_join(threads[i], &result);
    known += (long)result;
  }
  // What ended a wait was signalled within it, by another, or by the thread itself that had taken it.
  static int object;
  mt_handoff_take(&object, true);
  mt_handoff_give(&object, true);
  uint64_t now = mt_ticks();
  struct handoff h = mt_handoff_read(&object, 0, now), later = mt_handoff_read(&object, now + 1, now + 2);
  if (h.by != (uint64_t)syscall(SYS_gettid) || !h.given_back || later.by || mt_handoff_taker(&object)) return 2;
  printf("%ld\n", known);
  return 0;
}
