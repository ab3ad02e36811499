// A program whose threads wait for signals in every way there is. It prints, for each wait that must be recorded and in their order: who
// waited, by which call, who signalled (0 for nobody), whether it ended without a signal, whether a semaphore was given back by who had
// taken it, and whether the waiter had signalled `requests` since its wait before.
#include <atomic>
#include <condition_variable>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "waiting.h"

extern "C" void *MTLCreateSystemDefaultDevice(void);

static long self() { return syscall(SYS_gettid); }
static void pause_ms(int ms) { usleep(ms * 1000); }
static void say(const char *call, long by, bool failed, bool back, bool gave) { printf("%ld %s %ld %d %d %d\n", self(), call, by, failed, back, gave); }
static void check(bool right, const char *what) {
  if (right) return;
  fprintf(stderr, "%s\n", what);
  exit(3);
}

extern "C" {
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t replies = PTHREAD_COND_INITIALIZER, requests = PTHREAD_COND_INITIALIZER;
sem_t posts, lock;
}
static int ready;

static timespec in_ms(clockid_t clock, int ms) {
  timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += ms * 1000000L;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

// after does something in another thread when this one waits, and says which thread that is.
template <class F> struct after {
  long id = 0;
  std::atomic<bool> waits{false};
  std::thread thread;
  explicit after(F what) {
    sem_t known;
    sem_init(&known, 0, 0);
    long waiting = self();
    thread = std::thread([&known, this, what, waiting] {
      id = self();
      sem_post(&known);
      while (!waits) usleep(100);
      until_it_waits(waiting);
      what();
    });
    while (sem_trywait(&known) != 0) usleep(100);
    sem_destroy(&known);
    waits = true;
  }
  ~after() { thread.join(); }
};

static void condition(void (*signal)(), const char *call, int (*wait)()) {
  ready = 0;
  after other([signal] {
    pthread_mutex_lock(&mutex);
    ready = 1;
    signal();
    pthread_mutex_unlock(&mutex);
  });
  pthread_mutex_lock(&mutex);
  while (!ready) check(wait() == 0, call);
  pthread_mutex_unlock(&mutex);
  say(call, other.id, false, false, false);
}

static void unwound(void *seen) {
  // The mutex is held again when a wait is cancelled.
  *static_cast<bool *>(seen) = pthread_mutex_trylock(&mutex) == EBUSY;
  pthread_mutex_unlock(&mutex);
}
static void *is_cancelled(void *seen) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unwound, seen);
  for (;;) pthread_cond_wait(&replies, &mutex);
  pthread_cleanup_pop(0);
  return nullptr;
}
struct destroyed {
  bool *seen;
  ~destroyed() { *seen = true; }
};
static void *is_cancelled_in_cpp(void *seen) {
  destroyed object{static_cast<bool *>(seen)};
  for (;;) sem_wait(&posts);
}
static std::atomic<int> stage;
static void *takes_when_cancelled(void *) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  stage = 1;
  while (stage == 1) usleep(100);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  sem_wait(&posts); // free, and yet the thread ends here
  return nullptr;
}
static void cancelled(void *(*body)(void *), const char *what) {
  stage = 0;
  bool seen = false;
  pthread_t thread;
  void *result;
  pthread_create(&thread, nullptr, body, &seen);
  if (body == takes_when_cancelled) {
    while (stage == 0) usleep(100);
  } else {
    pause_ms(5);
  }
  pthread_cancel(thread);
  stage = 2;
  pthread_join(thread, &result);
  check(result == PTHREAD_CANCELED, what);
  if (body != takes_when_cancelled) check(seen, what);
}

int main(int argc, char **) {
  sem_init(&posts, 0, 0);
  sem_init(&lock, 0, 1);
  std::condition_variable before;
  std::mutex m;
  std::unique_lock<std::mutex> held(m);
  before.wait_for(held, std::chrono::milliseconds(1)); // before Metal: nothing
  if (argc == 1) MTLCreateSystemDefaultDevice();

  condition([] { pthread_cond_signal(&replies); }, "pthread_cond_wait", [] { return pthread_cond_wait(&replies, &mutex); });
  condition([] { pthread_cond_broadcast(&replies); }, "pthread_cond_wait", [] { return pthread_cond_wait(&replies, &mutex); });
  condition([] { pthread_cond_signal(&replies); }, "pthread_cond_timedwait", [] {
    timespec until = in_ms(CLOCK_REALTIME, 10000);
    return pthread_cond_timedwait(&replies, &mutex, &until);
  });
  condition([] { pthread_cond_signal(&replies); }, "pthread_cond_clockwait", [] {
    timespec until = in_ms(CLOCK_MONOTONIC, 10000);
    return pthread_cond_clockwait(&replies, &mutex, CLOCK_MONOTONIC, &until);
  });

  // Nobody signals, and one has signalled something else before.
  pthread_cond_signal(&requests);
  errno = 77;
  timespec until = in_ms(CLOCK_REALTIME, 5);
  pthread_mutex_lock(&mutex);
  check(pthread_cond_timedwait(&replies, &mutex, &until) == ETIMEDOUT && errno == 77, "a wait that ends by its time");
  pthread_mutex_unlock(&mutex);
  say("pthread_cond_timedwait", 0, true, false, true);

  { // the standard library's
    std::condition_variable done;
    bool is_done = false;
    after other([&] {
      std::lock_guard<std::mutex> with(m);
      is_done = true;
      done.notify_all();
    });
    done.wait(held, [&] { return is_done; });
    say("pthread_cond_wait", other.id, false, false, false);
    done.wait_for(held, std::chrono::milliseconds(2));
    say("pthread_cond_clockwait", 0, true, false, false);
  }

  // Semaphores: free ones are not waited for.
  sem_post(&posts);
  errno = 77;
  check(sem_wait(&posts) == 0 && errno == 77, "a semaphore that is free");
  {
    after other([] { sem_post(&posts); });
    errno = 77;
    check(sem_wait(&posts) == 0 && errno == 77, "a semaphore that is not free");
    say("sem_wait", other.id, false, false, false);
  }
  until = in_ms(CLOCK_REALTIME, 5);
  check(sem_timedwait(&posts, &until) == -1 && errno == ETIMEDOUT, "a semaphore that nobody posts");
  say("sem_timedwait", 0, true, false, false);
  until.tv_nsec = 1000000000;
  sem_post(&posts);
  check(sem_timedwait(&posts, &until) == -1 && errno == EINVAL, "a time that is none, and a semaphore that is free");
  check(sem_trywait(&posts) == 0, "a semaphore that is still free");
  until = in_ms(CLOCK_MONOTONIC, 10000);
  {
    after other([] { sem_post(&posts); });
    check(sem_clockwait(&posts, CLOCK_MONOTONIC, &until) == 0, "sem_clockwait");
    say("sem_clockwait", other.id, false, false, false);
  }

  // A semaphore as a lock: known as one from the second wait on, when it is known who takes it.
  for (int lap = 0; lap < 2; lap++) {
    sem_t taken;
    sem_init(&taken, 0, 0);
    long holder = 0, waiting = self();
    std::atomic<bool> waits{false};
    std::thread thread([&] {
      holder = self();
      while (sem_trywait(&lock) != 0) usleep(100);
      sem_post(&taken);
      while (!waits) usleep(100);
      until_it_waits(waiting);
      sem_post(&lock);
    });
    while (sem_trywait(&taken) != 0) usleep(100);
    waits = true;
    sem_wait(&lock);
    say("sem_wait", holder, false, lap > 0, false);
    sem_post(&lock);
    thread.join();
    sem_destroy(&taken);
  }

// Not under sanitizers: the thread sanitizer loses count of a thread's calls when it is cancelled in one of its own, and the address
// sanitizer takes the frames that were unwound for frames that are left, as GCC 12's did in one run of many.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
  cancelled(is_cancelled, "a cleanup handler of a cancelled wait");
  cancelled(is_cancelled_in_cpp, "a destructor in a cancelled wait");
  sem_post(&posts);
  cancelled(takes_when_cancelled, "cancellation at a free semaphore");
  check(sem_trywait(&posts) == 0, "a cancelled wait took nothing");
#endif
  return 0;
}
