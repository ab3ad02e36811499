// A child of a fork before the first Metal call is traced by itself, with a Go of its own; one after it passes through, untraced and counted, and
// touches neither the parent's rings nor its semaphores.
#include <sys/wait.h>
#include <unistd.h>
#include "system/doorbell.h"
#include "check.h"
#include "fakes.h"

static void child(void (*does)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    alarm(240);
    does();
    exit(0);
  }
  int status;
  CHECK(waitpid(pid, &status, 0) == pid);
  if (status != 0) fprintf(stderr, "the child ended with %#x\n", (unsigned)status);
  CHECK(status == 0);
}

static pid_t parent;
static struct region *parents;

static void starts_over(void) {
  CHECK(MTLCreateSystemDefaultDevice() && mt_locks_on());
  CHECK(mt_region->pid == (uint32_t)getpid() && mt_region->pid != (uint32_t)parent);
  struct thread *t = mt_thread();
  CHECK(t && atomic_load(&t->ring->thread) == (uint64_t)getpid());
  // Go started at load is the parent's, and not here: the collector reads the rings. Else it has one of its own.
  if (getenv("MAC_GO_AT_LOAD")) return;
  CHECK(mac_go_started == 1);
  while (atomic_load(&t->ring->tail) != t->head) pause_ms(1);
}

static void passes_through(void) {
  uint64_t head = atomic_load(&parents->rings[0].head), forks = atomic_load(&parents->forks);
  CHECK(MTLCreateSystemDefaultDevice() && !mt_locks_on() && !mt_thread());
  CHECK(atomic_load(&parents->forks) == forks + 1 && atomic_load(&parents->rings[0].head) == head);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_trylock(&mutex) == EBUSY && pthread_mutex_unlock(&mutex) == 0);
  mt_doorbell_wake();
}

int main(void) {
  parent = getpid();
  child(starts_over);
  child(starts_over); // of one that is still not active
  CHECK(MTLCreateSystemDefaultDevice());
  parents = mt_region;
  CHECK(mt_locks_on() && parents->pid == (uint32_t)parent);
  child(passes_through);
  CHECK(mt_locks_on() && mt_thread() && atomic_load(&parents->forks) == 1);
  puts("ok");
  return 0;
}
