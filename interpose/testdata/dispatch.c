// Waits for dispatch queues, with the dispatch library of Swift on Linux, which is Apple's, and ../queues_darwin.c between. The exported
// functions stand for macOS's interposing. It prints, for each wait that must be recorded and in their order: who waited, by which call,
// for which queue, who held it.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "hook/objc.h"
#include "waits/queues.h"
#include "waiting.h"
#include "wire.h"

#define EXPORT __attribute__((visibility("default")))
typedef void *block;
typedef void (*sync_f_function)(mt_queue, void *, mt_queue_function);
typedef void (*sync_function)(mt_queue, void *);
#define NEXT(name) dlsym(RTLD_NEXT, name)

EXPORT void dispatch_sync_f(mt_queue queue, void *context, mt_queue_function function) {
  mt_queue_sync_f((sync_f_function)NEXT("dispatch_sync_f"), MT_CALL_lock_dispatch_sync_f, queue, context, function);
}
EXPORT void dispatch_barrier_sync_f(mt_queue queue, void *context, mt_queue_function function) {
  mt_queue_sync_f((sync_f_function)NEXT("dispatch_barrier_sync_f"), MT_CALL_lock_dispatch_barrier_sync_f, queue, context, function);
}
EXPORT void dispatch_sync(mt_queue queue, block b) {
  mt_queue_sync((sync_function)NEXT("dispatch_sync"), (sync_f_function)NEXT("dispatch_sync_f"), MT_CALL_lock_dispatch_sync, queue, b);
}
EXPORT void dispatch_barrier_sync(mt_queue queue, block b) {
  mt_queue_sync((sync_function)NEXT("dispatch_barrier_sync"), (sync_f_function)NEXT("dispatch_barrier_sync_f"), MT_CALL_lock_dispatch_barrier_sync, queue, b);
}
EXPORT void dispatch_async_and_wait_f(mt_queue queue, void *context, mt_queue_function function) {
  mt_queue_async_and_wait_f((sync_f_function)NEXT("dispatch_async_and_wait_f"), MT_CALL_lock_dispatch_async_and_wait_f, queue, context, function);
}
EXPORT void dispatch_barrier_async_and_wait_f(mt_queue queue, void *context, mt_queue_function function) {
  mt_queue_async_and_wait_f((sync_f_function)NEXT("dispatch_barrier_async_and_wait_f"), MT_CALL_lock_dispatch_barrier_async_and_wait_f, queue, context, function);
}
EXPORT void dispatch_async_and_wait(mt_queue queue, block b) {
  mt_queue_async_and_wait((sync_function)NEXT("dispatch_async_and_wait"), (sync_f_function)NEXT("dispatch_async_and_wait_f"), MT_CALL_lock_dispatch_async_and_wait, queue, b);
}
EXPORT void dispatch_barrier_async_and_wait(mt_queue queue, block b) {
  mt_queue_async_and_wait((sync_function)NEXT("dispatch_barrier_async_and_wait"), (sync_f_function)NEXT("dispatch_barrier_async_and_wait_f"),
                          MT_CALL_lock_dispatch_barrier_async_and_wait, queue, b);
}
EXPORT intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t until) {
  return mt_semaphore_wait(semaphore, until, __builtin_frame_address(0), __builtin_return_address(0));
}
EXPORT intptr_t dispatch_semaphore_signal(void *semaphore) { return mt_semaphore_signal(semaphore); }
EXPORT intptr_t dispatch_group_wait(void *group, uint64_t until) { return mt_group_wait(group, until, __builtin_frame_address(0), __builtin_return_address(0)); }
EXPORT void dispatch_group_leave(void *group) { mt_group_leave(group); }
EXPORT block dispatch_block_create(unsigned long flags, block b) {
  struct mt_queue_block room;
  return ((block(*)(unsigned long, block))NEXT("dispatch_block_create"))(flags, mt_queue_watch(&room, b));
}

extern mt_queue dispatch_queue_create(const char *label, const void *attributes);
extern char _dispatch_queue_attr_concurrent[];
extern const char *dispatch_queue_get_label(mt_queue queue);
extern void dispatch_block_cancel(block b);
extern long dispatch_block_wait(block b, uint64_t until);
extern void _Block_release(const void *b);
extern void *_NSConcreteStackBlock[], *_NSConcreteGlobalBlock[];
extern void _Block_object_assign(void *, const void *, int), _Block_object_dispose(const void *, int);
extern void *MTLCreateSystemDefaultDevice(void);
extern void *dispatch_semaphore_create(long value), *dispatch_group_create(void);
extern void dispatch_group_enter(void *group);
extern void dispatch_async_f(mt_queue queue, void *context, mt_queue_function function);
enum { BARRIER = 1 };

static long self(void) { return syscall(SYS_gettid); }
static void check(int right, const char *what) {
  if (right) return;
  fprintf(stderr, "%s\n", what);
  exit(3);
}

// A block that counts its copies and runs, and may go on to another queue.
struct job {
  void *isa;
  int flags, reserved;
  void (*invoke)(struct job *);
  const void *descriptor;
  int *runs, *copies;
  long *on;
  mt_queue then;
  block what;
};
static void copied(struct job *to, const struct job *from) { (void)from, ++*to->copies; }
static void disposed(const struct job *job) { --*job->copies; }
static void work(struct job *job) {
  ++*job->runs;
  *job->on = self();
  if (job->then) dispatch_sync(job->then, job->what);
}
static const struct {
  uintptr_t reserved, size;
  void (*copy)(struct job *, const struct job *);
  void (*dispose)(const struct job *);
} descriptor = {0, sizeof(struct job), copied, disposed};
static int runs, copies;
static long ran_on;
static struct job new_job(mt_queue then, block what) {
  return (struct job){_NSConcreteStackBlock, 1 << 25 | 1 << 29, 0, work, &descriptor, &runs, &copies, &ran_on, then, what};
}
static void function(void *nothing) { (void)nothing, runs++, ran_on = self(); }

// Another thread is in a block of the queue until the main thread waits.
static sem_t inside;
static long holder;
static int hold_from; // how many runs there are before the wait that it is held for
static void hold(void *nothing) {
  (void)nothing;
  int from = hold_from;
  sem_post(&inside);
  while (__atomic_load_n(&runs, __ATOMIC_RELAXED) < from) usleep(100);
  until_it_waits(getpid()); // the main thread
}
static void *holds(void *queue) {
  holder = self();
  dispatch_sync_f(queue, NULL, hold);
  return NULL;
}
static pthread_t other;
static void occupy(mt_queue queue) {
  pthread_create(&other, NULL, holds, queue);
  while (sem_trywait(&inside) != 0) usleep(100);
  runs = 0;
}
static void done(const char *call, mt_queue queue) {
  check(runs == 1 && ran_on == self(), call);
  pthread_join(other, NULL);
  printf("%ld %s %s %ld\n", self(), call, dispatch_queue_get_label(queue), holder);
}

static void waited(const char *call, mt_queue queue) {
  check(runs == 1, call);
  pthread_join(other, NULL);
  printf("%ld %s %s %ld\n", self(), call, dispatch_queue_get_label(queue), holder);
}

// A thread of dispatch's own drains the queue: it came by dispatch_async, so who it is is not known to a tracer.
static void drain(void *nothing) { (void)nothing, sem_post(&inside), until_it_waits(getpid()); }
static void drained(mt_queue queue) {
  dispatch_async_f(queue, NULL, drain);
  while (sem_trywait(&inside) != 0) usleep(100);
  runs = 0;
  dispatch_async_and_wait_f(queue, NULL, function);
  check(runs == 1, "drained");
  fprintf(stderr, "ran on %s\n", ran_on == self() ? "its own thread" : "the draining thread");
  printf("%ld dispatch_async_and_wait_f %s 0\n", self(), dispatch_queue_get_label(queue));
}

// Waits for semaphores and groups that another thread signals, and for a semaphore that is a lock.
static void *semaphore, *mutex, *group;
static void *signalling(void *nothing) {
  holder = self();
  dispatch_semaphore_wait(mutex, ~UINT64_C(0)); // taken at once
  sem_post(&inside);
  until_it_waits(getpid()); // the main thread
  dispatch_semaphore_signal(mutex);
  until_it_waits(getpid());
  dispatch_semaphore_signal(semaphore);
  until_it_waits(getpid());
  dispatch_group_leave(group);
  return nothing;
}
static void signals(void) {
  semaphore = dispatch_semaphore_create(0), mutex = dispatch_semaphore_create(1), group = dispatch_group_create();
  dispatch_group_enter(group);
  // Who takes a semaphore is noted from the second wait on.
  for (int i = 0; i < 2; i++) {
    if (i) dispatch_group_enter(group);
    pthread_create(&other, NULL, signalling, NULL);
    while (sem_trywait(&inside) != 0) usleep(100);
    check(dispatch_semaphore_wait(mutex, ~UINT64_C(0)) == 0, "a mutex");
    printf("%ld dispatch_semaphore_wait %s %ld\n", self(), i ? "lock" : "signal", holder);
    dispatch_semaphore_signal(mutex);
    check(dispatch_semaphore_wait(semaphore, ~UINT64_C(0)) == 0, "a signal");
    printf("%ld dispatch_semaphore_wait signal %ld\n", self(), holder);
    check(dispatch_group_wait(group, ~UINT64_C(0)) == 0, "a group");
    printf("%ld dispatch_group_wait signal %ld\n", self(), holder);
    pthread_join(other, NULL);
  }
  check(dispatch_semaphore_wait(semaphore, 0) != 0, "a semaphore that cannot be taken, tried");
}

int main(void) {
  mt_dispatch = (struct mt_dispatch){(block(*)(unsigned long, block))NEXT("dispatch_block_create"), _Block_release, dispatch_queue_get_label,
                                     (intptr_t(*)(void *, uint64_t))NEXT("dispatch_semaphore_wait"), (intptr_t(*)(void *))NEXT("dispatch_semaphore_signal"),
                                     (intptr_t(*)(void *, uint64_t))NEXT("dispatch_group_wait"), (void (*)(void *))NEXT("dispatch_group_leave")};
  sem_init(&inside, 0, 0);
  mt_queue serial = dispatch_queue_create("serial", NULL), second = dispatch_queue_create("second", NULL),
           concurrent = dispatch_queue_create("concurrent", _dispatch_queue_attr_concurrent);
  struct job plain = new_job(NULL, NULL);
  block early = dispatch_block_create(0, &plain);
  MTLCreateSystemDefaultDevice();
  // Two libraries with a blocks runtime are in this process; dispatch has the one that is found first.
  mt_blocks = (struct mt_blocks){_NSConcreteGlobalBlock, _NSConcreteStackBlock, _Block_object_assign, _Block_object_dispose};
  dispatch_sync_f(serial, NULL, function); // free: nothing

  occupy(serial), dispatch_sync_f(serial, NULL, function), done("dispatch_sync_f", serial);
  occupy(serial), dispatch_sync(serial, &plain), done("dispatch_sync", serial);
  occupy(concurrent), dispatch_barrier_sync_f(concurrent, NULL, function), done("dispatch_barrier_sync_f", concurrent);
  occupy(concurrent), dispatch_barrier_sync(concurrent, &plain), done("dispatch_barrier_sync", concurrent);

  block flagged = dispatch_block_create(0, &plain), barrier = dispatch_block_create(BARRIER, &plain);
  occupy(serial), dispatch_sync(serial, flagged), done("dispatch_sync", serial);
  check(dispatch_block_wait(flagged, 0) == 0, "a block that ran is over");
  occupy(concurrent), dispatch_sync(concurrent, barrier), done("dispatch_sync", concurrent); // as a barrier, so it waits
  block again = dispatch_block_create(0, &plain);
  occupy(concurrent), dispatch_barrier_sync(concurrent, again), done("dispatch_barrier_sync", concurrent);
  dispatch_sync(serial, again); // free: nothing

  // One inside of another: each waits for its own queue.
  block inner = dispatch_block_create(0, &plain);
  struct job outer_job = new_job(second, inner);
  block outer = dispatch_block_create(0, &outer_job);
  occupy(serial);
  long first = holder;
  pthread_t first_thread = other;
  hold_from = 1; // the outer one's
  occupy(second);
  hold_from = 0;
  dispatch_sync(serial, outer);
  check(runs == 2, "two blocks");
  pthread_join(first_thread, NULL), pthread_join(other, NULL);
  printf("%ld dispatch_sync serial %ld\n%ld dispatch_sync second %ld\n", self(), first, self(), holder);

  // dispatch_async_and_wait: on the thread that waits, or, where another drains the queue, on that one while this waits on.
  dispatch_async_and_wait_f(serial, NULL, function); // free: nothing
  occupy(serial), dispatch_async_and_wait_f(serial, NULL, function), waited("dispatch_async_and_wait_f", serial);
  occupy(serial), dispatch_async_and_wait(serial, &plain), waited("dispatch_async_and_wait", serial);
  occupy(concurrent), dispatch_barrier_async_and_wait_f(concurrent, NULL, function), waited("dispatch_barrier_async_and_wait_f", concurrent);
  occupy(concurrent), dispatch_barrier_async_and_wait(concurrent, &plain), waited("dispatch_barrier_async_and_wait", concurrent);
  drained(serial);

  signals();

  // Cancelled, it does not run; of one from before Metal the wait is not seen.
  block cancelled = dispatch_block_create(0, &plain);
  dispatch_block_cancel(cancelled);
  occupy(serial), dispatch_sync(serial, cancelled), pthread_join(other, NULL);
  check(runs == 0, "a cancelled block");
  occupy(serial), dispatch_sync(serial, early), pthread_join(other, NULL);
  check(runs == 1 && ran_on == self(), "a block from before");

  block all[] = {early, flagged, barrier, again, inner, outer, cancelled};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) _Block_release(all[i]);
  check(copies == 0, "blocks are freed");
  return 0;
}
