// A program whose handler of a signal waits, a hundred microseconds long, whenever a timer interrupts it: also while the tracer writes the
// record of a call. It prints how often the handler ran.
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include "shapes.h"

static volatile sig_atomic_t handled;
static void handler(int signal) {
  (void)signal;
  struct timespec wait = {0, 100000};
  nanosleep(&wait, NULL);
  handled++;
}

int main(void) {
  ShapesEncoder *encoder = [[[MTLCreateSystemDefaultDevice() newCommandQueue] commandBuffer] computeCommandEncoder];
  signal(SIGALRM, handler);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 200}, {0, 200}}, NULL);
  struct timespec now, begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    for (int i = 0; i < 1000; i++) [encoder endEncoding];
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 1000);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  printf("%d\n", (int)handled);
  return 0;
}
