// Threads keep names in a table that is far too small for them, and read it all the while: see TestNamesOfManyThreads.
#include <pthread.h>
#include <stdio.h>
#include "core/names.h"

enum { THREADS = 4, PLACES = 20000, ROUNDS = 40 };
static const void *place(unsigned n) { return (const void *)(0x7f0000001000ul + n * 16ul); }
static uint64_t name_of(unsigned n) { return 0xcbf29ce484222325ul ^ n * 0x100000001b3ul; }

static unsigned long known[THREADS];
static void *hammer(void *arg) {
  unsigned seed = (unsigned)(uintptr_t)arg;
  for (unsigned i = 0; i < PLACES * ROUNDS; i++) {
    unsigned n = (seed = seed * 1664525u + 1013904223u) >> 8;
    n %= n & 1 ? PLACES : 64; // a few places are often waited in, as those of an interpreter
    uint64_t name = mt_name_known(place(n), place(n / 3));
    if (!name) mt_name_keep(place(n), place(n / 3), name_of(n));
    if (name && name != name_of(n)) {
      printf("place %u has the name of another\n", n);
      return arg;
    }
    known[(uintptr_t)arg] += name != 0;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  void *wrong;
  for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, hammer, (void *)i);
  unsigned long sum = 0;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], &wrong);
    if (wrong) return 1;
    sum += known[i];
  }
  // One place alone stays known.
  mt_name_keep(place(0), place(0), name_of(0));
  if (mt_name_known(place(0), place(0)) != name_of(0)) puts("forgotten at once");
  printf("%lu\n", sum);
  return 0;
}
