// doorbell_darwin.c: rings before a wait are one, none is lost, and a wait ends by itself. stack_darwin.c: a thread's stack is where its variables
// are.
#include <time.h>
#include "system/doorbell.h"
#include "stacks/stack.h"
#include "check.h"

enum { RINGS = 2000 };
static _Atomic int rung, heard;

static void *rings(void *nothing) {
  for (int i = 0; i < RINGS; i++) {
    rung++;
    mt_doorbell_ring();
    if (i % 64 == 0)
      while (heard < rung) pause_ms(1); // without end, were a ring lost
  }
  return nothing;
}

static void doorbell(void) {
  CHECK(mt_doorbell_make());
  for (int i = 0; i < 3; i++) mt_doorbell_ring();
  CHECK(mt_doorbell_wait(-1));
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  CHECK(!mt_doorbell_wait(20));
  clock_gettime(CLOCK_MONOTONIC, &after);
  CHECK((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >= 15000000);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, rings, NULL) == 0);
  while (heard < RINGS) {
    CHECK(mt_doorbell_wait(-1));
    heard = rung;
  }
  pthread_join(thread, NULL);
  // Whoever publishes wakes a drainer that sleeps for good, once, and keeps errno.
  while (mt_doorbell_wait(0)) { }
  atomic_store(&mt_drainer_sleeps, 1);
  errno = 77;
  mt_doorbell_wake(), mt_doorbell_wake();
  CHECK(errno == 77 && mt_doorbell_wait(-1) && !mt_doorbell_wait(0));
}

static void *bounds(void *size) {
  uintptr_t low, high, here = (uintptr_t)__builtin_frame_address(0);
  CHECK(mt_stack_bounds(&low, &high));
  CHECK(low < here && here < high);
  if (size) CHECK(high - low <= (uintptr_t)size && high - low >= (uintptr_t)size / 2);
  return NULL;
}

int main(void) {
  doorbell();
  bounds(NULL);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 20);
  pthread_t thread;
  CHECK(pthread_create(&thread, &attributes, bounds, (void *)(1 << 20)) == 0);
  pthread_join(thread, NULL);
  puts("ok");
  return 0;
}
