// The doorbell on Linux: a POSIX semaphore. It needs no descriptor and may be posted anywhere, even in a signal
// handler.
#include <errno.h>
#include <semaphore.h>
#include <time.h>
#include "system/doorbell.h"
#include "system/own.h"

static sem_t bell;

bool mt_doorbell_make(void) { return sem_init(&bell, 0, 0) == 0; }

void mt_doorbell_ring(void) {
  int pending;
  if (sem_getvalue(&bell, &pending) == 0 && pending < 1) mt_own_sem_post(&bell);
}

bool mt_doorbell_wait(int milliseconds) {
  if (milliseconds < 0) {
    while (mt_own_sem_wait(&bell) != 0 && errno == EINTR) {
    }
    return true;
  }
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += (long)milliseconds * 1000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  int result;
  while ((result = mt_own_sem_timedwait(&bell, &until)) != 0 && errno == EINTR) {
  }
  return result == 0;
}
