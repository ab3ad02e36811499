// Threads hand work to one that is never idle, through a queue whose mutex lies anywhere, and are answered through objects that lie
// anywhere: after how many answers is it known that what was answered had been fetched from where the asking thread had put it?
// Prints that share, in thousandths, for answers to one command buffer and to three, and for answers that fetched nothing.
#include "waits/handoff.h"
#include <stdio.h>
#include <stdlib.h>
#include "core/clock.h"
#include "core/region.h"
#include "core/thread.h"

_Thread_local struct thread *mt_thread_pointer;
uint32_t mt_clock_kind;
#ifdef __linux__
mt_clock_reader mt_clock_gettime = clock_gettime;
#endif

enum { PLACES = 4000, ROUNDS = 6, ANSWER = 3 };

int main(void) {
  static struct thread threads[2];
  for (int i = 0; i < 2; i++) threads[i].ring = calloc(1, sizeof *threads[i].ring), threads[i].index = (unsigned)i;
  struct thread *asks = &threads[0], *submits = &threads[1];
  static char heap[1 << 22];
  for (int kind = 0; kind < 3; kind++) {
    int fetched = 0;
    for (int place = 0; place < PLACES; place++) {
      const void *requests = &heap[random() % sizeof heap & ~15L], *answer[ANSWER];
      for (int i = 0; i < ANSWER; i++) answer[i] = &heap[random() % sizeof heap & ~15L];
      for (int round = 0; round < ROUNDS; round++) {
        mt_thread_pointer = asks;
        mt_handoff_take(requests, false);
        uint64_t begin = mt_ticks();
        mt_thread_pointer = submits;
        for (int i = 0; i < (kind == 1 ? 3 : 1); i++) {
          if (kind < 2) mt_handoff_take(requests, false);
          mt_handoff_commit(submits);
        }
        for (int i = 0; i < ANSWER; i++) mt_handoff_take(answer[i], false);
        if (kind == 2) mt_handoff_take(requests, false); // the results go through it, not the requests
        mt_handoff_give(answer[0], true);
        mt_thread_pointer = asks;
        if (round == ROUNDS - 1) fetched += mt_handoff_read(answer[0], begin, mt_ticks()).fetched;
      }
    }
    printf("%d ", fetched * 1000 / PLACES);
  }
  printf("\n");
  return 0;
}
