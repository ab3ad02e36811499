// Every wait of locks_darwin.c, signals_darwin.c, semaphores_darwin.c and queues_darwin.c: what the program gets is what the original gives, and
// what is recorded is each wait, and nothing but waits, with what was waited for and who had it or who gave the signal.
#include <dispatch/dispatch.h>
#include <string.h>
#include <time.h>
#include "hook/objc.h"
#include "system/own.h"
#include "check.h"
#include "fakes.h"

extern void *_NSConcreteStackBlock[];
extern void _Block_release(const void *block);

static uint64_t self(void) { return mt_thread_id(); }

// Another thread does something while this one waits: it tells when it is inside, and goes on when this one sleeps, however busy the machine is.
static pthread_t other;
static _Atomic uint64_t other_id;
static _Atomic bool inside;
static _Atomic int waits; // that this thread has gone to
static void goes_to_wait(void) {
  while (!inside) pause_ms(1);
  waits++;
}
static void begin(void *(*doing)(void *), void *with) {
  inside = false;
  waits = 0;
  CHECK(pthread_create(&other, NULL, doing, with) == 0);
  goes_to_wait();
}

static bool main_sleeps(void) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
  FILE *file = fopen(path, "r");
  CHECK(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
  fclose(file);
  return state == 'S';
}
static void until_main_waits(int times) {
  while (waits < times) pause_ms(1);
  for (int seen = 0; seen < 3; seen = main_sleeps() ? seen + 1 : 0) pause_ms(1);
}
static void is_inside(void) {
  other_id = self();
  inside = true;
}
static void end(void) { CHECK(pthread_join(other, NULL) == 0); }

// One wait is recorded, for this object, of the thread that was inside.
static struct wait waited(unsigned call, const void *object) {
  struct wait w;
  CHECK(next_wait(&w));
  if (w.call != call || w.object != object) fprintf(stderr, "call %u for %p, not call %u for %p\n", w.call, w.object, call, object);
  CHECK(w.call == call && w.object == object && w.end > w.begin);
  no_wait();
  return w;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *holds_mutex(void *lock) {
  CHECK(pthread_mutex_lock(lock) == 0);
  is_inside();
  until_main_waits(1);
  CHECK(pthread_mutex_unlock(lock) == 0);
  return NULL;
}
static void *holds_rwlock(void *lock) {
  CHECK(pthread_rwlock_wrlock(lock) == 0);
  is_inside();
  until_main_waits(1);
  CHECK(pthread_rwlock_unlock(lock) == 0);
  return NULL;
}

static void mutexes(void) {
  // A mutex that is free is no wait, a recursive one that the thread has neither.
  pthread_mutexattr_t kind;
  pthread_mutex_t recursive, checked;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE), pthread_mutex_init(&recursive, &kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK), pthread_mutex_init(&checked, &kind);
  CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_trylock(&mutex) == EBUSY && pthread_mutex_unlock(&mutex) == 0);
  for (int i = 0; i < 2; i++) CHECK(pthread_mutex_lock(&recursive) == 0);
  for (int i = 0; i < 2; i++) CHECK(pthread_mutex_unlock(&recursive) == 0);
  no_wait();
  CHECK(pthread_mutex_lock(&checked) == 0 && pthread_mutex_lock(&checked) == EDEADLK && pthread_mutex_unlock(&checked) == 0);
  struct wait w;
  while (next_wait(&w)) CHECK(w.object == &checked);

  // Who has a mutex is known from the second wait on: the first makes an entry for it.
  for (int i = 0; i < 2; i++) {
    begin(holds_mutex, &mutex);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(mt_thread()->held == &mutex); // not written down while others wait for it
    CHECK(pthread_mutex_unlock(&mutex) == 0 && !mt_thread()->held);
    w = waited(MT_CALL_lock_pthread_mutex_lock, &mutex);
    CHECK(w.by == (i ? other_id : 0));
    end();
  }
  // And by trylock too.
  CHECK(pthread_mutex_trylock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  no_wait();

  // The library's own waits are not the program's.
  begin(holds_mutex, &mutex);
  mt_thread()->own_work = true;
  CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  mt_thread()->own_work = false;
  end();
  begin(holds_mutex, &mutex);
  mt_own_lock(&mutex);
  mt_own_unlock(&mutex);
  end();
  no_wait();
}

static void rwlocks(void) {
  CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
  CHECK(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
  no_wait();
  begin(holds_rwlock, &rwlock);
  CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
  waited(MT_CALL_lock_pthread_rwlock_rdlock, &rwlock);
  end();
  begin(holds_rwlock, &rwlock);
  CHECK(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
  waited(MT_CALL_lock_pthread_rwlock_wrlock, &rwlock);
  end();
}

static bool ready;
static void *signals(void *broadcast) {
  is_inside();
  pthread_mutex_lock(&mutex); // which it has until it waits
  ready = true;
  CHECK((broadcast ? pthread_cond_broadcast : pthread_cond_signal)(&condition) == 0);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static struct timespec soon(int ms) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += ms * 1000000L;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

static int wait_once(int kind, int ms) {
  struct timespec until = soon(ms), relative = {ms / 1000, ms % 1000 * 1000000L};
  switch (kind) {
    case 0: return pthread_cond_wait(&condition, &mutex);
    case 1: return pthread_cond_timedwait(&condition, &mutex, &until);
    default: return pthread_cond_timedwait_relative_np(&condition, &mutex, &relative);
  }
}

static void conditions(void) {
  static const unsigned calls[] = {MT_CALL_signal_pthread_cond_wait, MT_CALL_signal_pthread_cond_timedwait, MT_CALL_signal_pthread_cond_timedwait_relative_np};
  pthread_mutex_lock(&mutex);
  struct wait w;
  for (int kind = 0; kind < 3; kind++) {
    ready = false;
    begin(signals, kind == 1 ? &condition : NULL);
    while (!ready) CHECK(wait_once(kind, 60000) == 0);
    CHECK(mt_thread()->held == &mutex);
    pthread_mutex_unlock(&mutex);
    while (next_wait(&w)) // it may wake without a signal, and wait for the mutex before
      CHECK((w.call == calls[kind] && w.object == &condition && (w.by == other_id || w.by == 0)) || w.object == &mutex);
    CHECK(w.call == calls[kind] && w.by == other_id && !w.flags);
    end();
    pthread_mutex_lock(&mutex);
  }
  // Nobody signals: a wait that failed. A time that is none: no wait at all.
  for (int kind = 1; kind < 3; kind++) {
    while (wait_once(kind, 10) != ETIMEDOUT) { }
    while (next_wait(&w)) CHECK(w.call == calls[kind]);
    CHECK(w.flags == MT_FLAG_FAILED && w.by == 0);
  }
  struct timespec none = {0, 2000000000};
  CHECK(pthread_cond_timedwait_relative_np(&condition, &mutex, &none) == EINVAL);
  no_wait();
  // Inside of a call of Metal's it is Metal's affair.
  struct thread *t = mt_thread();
  atomic_store(&t->ring->current, 1);
  CHECK(wait_once(2, 1) == ETIMEDOUT);
  atomic_store(&t->ring->current, 0);
  no_wait();
  pthread_mutex_unlock(&mutex);
}

static dispatch_semaphore_t semaphore, lock;
static dispatch_group_t group;
static void *gives(void *nothing) {
  CHECK(dispatch_semaphore_wait(lock, DISPATCH_TIME_FOREVER) == 0);
  is_inside();
  until_main_waits(1);
  dispatch_semaphore_signal(lock);
  until_main_waits(2);
  CHECK(dispatch_semaphore_signal(semaphore) != 0); // it woke one
  until_main_waits(3);
  dispatch_group_leave(group);
  return nothing;
}

static void semaphores(void) {
  semaphore = dispatch_semaphore_create(0), lock = dispatch_semaphore_create(1), group = dispatch_group_create();
  CHECK(dispatch_group_wait(group, DISPATCH_TIME_FOREVER) == 0); // empty
  CHECK(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW) != 0 && dispatch_semaphore_signal(semaphore) == 0);
  CHECK(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER) == 0); // free
  no_wait();
  for (int i = 0; i < 2; i++) { // a semaphore is known as a lock from the second wait on
    dispatch_group_enter(group);
    CHECK(dispatch_group_wait(group, DISPATCH_TIME_NOW) != 0);
    begin(gives, NULL);
    CHECK(dispatch_semaphore_wait(lock, DISPATCH_TIME_FOREVER) == 0);
    struct wait w = waited(i ? MT_CALL_lock_dispatch_semaphore_wait : MT_CALL_signal_dispatch_semaphore_wait, lock);
    CHECK(w.by == other_id);
    dispatch_semaphore_signal(lock);
    goes_to_wait();
    CHECK(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER) == 0);
    CHECK(waited(MT_CALL_signal_dispatch_semaphore_wait, semaphore).by == other_id);
    goes_to_wait();
    CHECK(dispatch_group_wait(group, DISPATCH_TIME_FOREVER) == 0);
    CHECK(waited(MT_CALL_signal_dispatch_group_wait, group).by == other_id);
    end();
  }
  CHECK(dispatch_semaphore_wait(semaphore, dispatch_time(DISPATCH_TIME_NOW, 10000000)) != 0);
  CHECK(waited(MT_CALL_signal_dispatch_semaphore_wait, semaphore).flags == MT_FLAG_FAILED);
  dispatch_group_enter(group);
  CHECK(dispatch_group_wait(group, dispatch_time(DISPATCH_TIME_NOW, 10000000)) != 0);
  CHECK(waited(MT_CALL_signal_dispatch_group_wait, group).flags == MT_FLAG_FAILED);
  dispatch_group_leave(group);
}

// A block that counts how often it ran, and on which thread.
struct job {
  void *isa;
  int flags, reserved;
  void (*invoke)(struct job *);
  const void *descriptor;
};
static int runs;
static uint64_t ran_on;
static void work(struct job *job) { (void)job, runs++, ran_on = self(); }
static const struct {
  uintptr_t reserved, size;
} descriptor = {0, sizeof(struct job)};
static void function(void *nothing) { (void)nothing, runs++, ran_on = self(); }

static void hold(void *nothing) { (void)nothing, is_inside(), until_main_waits(1); }
static void *holds_queue(void *queue) {
  dispatch_sync_f(queue, NULL, hold);
  return NULL;
}
static dispatch_block_t holding; // a block with flags that does the same
static void *holds_queue_by_block(void *queue) {
  dispatch_sync(queue, holding);
  return NULL;
}
static void hold_by_block(struct job *job) { hold(job); }
static _Atomic bool leaves;
static void stay(void *nothing) {
  (void)nothing, is_inside();
  while (!leaves) pause_ms(1);
}
static void *stays_in_queue(void *queue) {
  dispatch_sync_f(queue, NULL, stay);
  return NULL;
}
static void occupy(dispatch_queue_t queue) { begin(holds_queue, queue), runs = 0; }
static void over(unsigned call, dispatch_queue_t queue) {
  CHECK(runs == 1 && ran_on == self());
  CHECK(waited(call, queue).by == other_id);
  end();
}

static void queues(void) {
  dispatch_queue_t serial = dispatch_queue_create("serial", NULL), concurrent = dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT);
  struct job plain = {_NSConcreteStackBlock, 1 << 29, 0, work, &descriptor};
  occupy(serial), dispatch_sync_f(serial, NULL, function), over(MT_CALL_lock_dispatch_sync_f, serial);
  occupy(serial), dispatch_sync(serial, &plain), over(MT_CALL_lock_dispatch_sync, serial);
  occupy(concurrent), dispatch_barrier_sync_f(concurrent, NULL, function), over(MT_CALL_lock_dispatch_barrier_sync_f, concurrent);
  occupy(concurrent), dispatch_barrier_sync(concurrent, &plain), over(MT_CALL_lock_dispatch_barrier_sync, concurrent);
  occupy(serial), dispatch_async_and_wait_f(serial, NULL, function), over(MT_CALL_lock_dispatch_async_and_wait_f, serial);
  occupy(serial), dispatch_async_and_wait(serial, &plain), over(MT_CALL_lock_dispatch_async_and_wait, serial);
  occupy(concurrent), dispatch_barrier_async_and_wait_f(concurrent, NULL, function), over(MT_CALL_lock_dispatch_barrier_async_and_wait_f, concurrent);
  occupy(concurrent), dispatch_barrier_async_and_wait(concurrent, &plain), over(MT_CALL_lock_dispatch_barrier_async_and_wait, concurrent);

  // Blocks with flags reach dispatch as they are; what they hold is watched.
  dispatch_block_t flagged = dispatch_block_create(0, &plain), barrier = dispatch_block_create_with_qos_class(DISPATCH_BLOCK_BARRIER, 0x15, 0, &plain);
  CHECK(flagged && barrier);
  occupy(serial), dispatch_sync(serial, flagged), over(MT_CALL_lock_dispatch_sync, serial);
  occupy(concurrent), dispatch_sync(concurrent, barrier), over(MT_CALL_lock_dispatch_sync, concurrent);
  occupy(concurrent), dispatch_barrier_sync(concurrent, flagged), over(MT_CALL_lock_dispatch_barrier_sync, concurrent);
  runs = 0, occupy(serial), dispatch_async_and_wait(serial, flagged), end();
  CHECK(runs == 1);
  runs = 0, occupy(concurrent), dispatch_barrier_async_and_wait(concurrent, barrier), end();
  CHECK(runs == 1);
  no_wait(); // not recorded: queues.h
  _Block_release(flagged), _Block_release(barrier);
  CHECK(dispatch_block_create(~0ul, &plain) == NULL); // flags that are none
  struct job held = {_NSConcreteStackBlock, 1 << 29, 0, hold_by_block, &descriptor};
  holding = dispatch_block_create(0, &held);
  begin(holds_queue_by_block, serial), runs = 0, dispatch_sync_f(serial, NULL, function), over(MT_CALL_lock_dispatch_sync_f, serial);
  _Block_release(holding);

  // Who comes to a concurrent queue while another thread is in a block of it does not wait for that one. Each such turn was told as a wait for it.
  flagged = dispatch_block_create(0, &plain);
  runs = 0, begin(stays_in_queue, concurrent);
  dispatch_sync_f(concurrent, NULL, function), dispatch_sync(concurrent, &plain), dispatch_sync(concurrent, flagged);
  leaves = true;
  end();
  _Block_release(flagged);
  CHECK(runs == 3);
  for (struct wait w; next_wait(&w);) CHECK(w.by == 0); // one that the system interrupted took longer than a free queue takes

  // A thread of dispatch's own has the queue: it runs what waits, and who it is is not known.
  inside = false;
  waits = 0;
  dispatch_async_f(serial, NULL, hold);
  goes_to_wait();
  runs = 0, dispatch_async_and_wait_f(serial, NULL, function);
  CHECK(runs == 1 && ran_on == other_id && ran_on != self());
  CHECK(waited(MT_CALL_lock_dispatch_async_and_wait_f, serial).by == 0);
}

// Before the first Metal call, and in a process that is not traced, all of them are the originals.
static void untraced(void) {
  begin(holds_mutex, &mutex), CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0), end();
  begin(holds_rwlock, &rwlock), CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0), end();
  begin(holds_rwlock, &rwlock), CHECK(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0), end();
  pthread_mutex_lock(&mutex);
  ready = false, begin(signals, NULL);
  while (!ready) CHECK(wait_once(0, 0) == 0);
  end();
  CHECK(wait_once(1, 1) == ETIMEDOUT && wait_once(2, 1) == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
  dispatch_queue_t serial = dispatch_queue_create("early", NULL);
  struct job plain = {_NSConcreteStackBlock, 1 << 29, 0, work, &descriptor};
  runs = 0;
  dispatch_sync_f(serial, NULL, function), dispatch_sync(serial, &plain), dispatch_async_and_wait_f(serial, NULL, function), dispatch_async_and_wait(serial, &plain);
  dispatch_block_t flagged = dispatch_block_create(0, &plain);
  dispatch_sync(serial, flagged);
  CHECK(runs == 5);
  _Block_release(flagged);
  dispatch_semaphore_t s = dispatch_semaphore_create(0);
  dispatch_group_t g = dispatch_group_create();
  CHECK(dispatch_semaphore_signal(s) == 0 && dispatch_semaphore_wait(s, DISPATCH_TIME_FOREVER) == 0);
  dispatch_group_enter(g), dispatch_group_leave(g);
  CHECK(dispatch_group_wait(g, DISPATCH_TIME_FOREVER) == 0);
}

int main(void) {
#ifdef __x86_64__
  enum { PAIRS = 101 };
#else
  enum { PAIRS = 99 }; // without two variants of select
#endif
  CHECK(mac_pairs() == PAIRS);
  untraced();
  CHECK(MTLCreateSystemDefaultDevice());
  CHECK(mt_locks_on());
  no_wait();
  mutexes();
  rwlocks();
  conditions();
  semaphores();
  queues();
  puts("ok");
  return 0;
}
