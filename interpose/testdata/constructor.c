// A library whose constructor makes a thread and waits for it, with a lock that the thread holds when it begins to wait itself. The
// dynamic linker's lock is held meanwhile.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER, work = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *worker(void *nothing) {
  pthread_mutex_lock(&mutex);
  is_ready = 1;
  pthread_cond_signal(&ready);
  pthread_cond_wait(&work, &mutex);
  return nothing;
}

__attribute__((constructor)) static void start(void) {
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, worker, NULL);
  while (!is_ready) pthread_cond_wait(&ready, &mutex);
  pthread_mutex_unlock(&mutex);
}
