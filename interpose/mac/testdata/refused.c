// A process that may have libraries inserted and no function replaced: the library finds that out as it is loaded and
// says so, because waits for locks and signals are not recorded then.
#include "check.h"
#include "core/process.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *barrier) {
  pthread_mutex_lock(&mutex);
  pthread_barrier_wait(barrier);
  pause_ms(20);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  CHECK(mt_activate()); // as a device that the hooks on base classes see
  pthread_barrier_t barrier;
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, holder, &barrier);
  pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  struct wait wait;
  CHECK(next_wait(&wait) == !getenv("MAC_REFUSE_INTERPOSING"));
  puts("ok");
  return 0;
}
