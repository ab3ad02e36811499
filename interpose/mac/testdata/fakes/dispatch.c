// libdispatch: semaphores, groups, queues and the blocks that say how they are to be run. The rules are in the header.
#include <dispatch/dispatch.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TIMED_OUT = 49 }; // KERN_OPERATION_TIMED_OUT

dispatch_time_t dispatch_time(dispatch_time_t when, int64_t delta) {
  if (when != DISPATCH_TIME_NOW) abort(); // other beginnings nobody here asks for
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec + (uint64_t)(delta > 0 ? delta : 0);
}

// Something that threads wait for: a semaphore, or a group.
//
// A semaphore has a port of the kernel's from when somebody first had to wait, or was woken (src/shims/lock.c, USE_MACH_SEM). The child of a
// fork has the name and not the port: libdispatch ends it, "use-after-free".
struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  long value, waiting;
  pid_t port;
};

static void use_port(struct gate *g) {
  if (!g->port) g->port = getpid();
  if (g->port != getpid()) {
    static const char text[] = "BUG IN CLIENT OF LIBDISPATCH: Use-after-free of dispatch_semaphore_t or dispatch_group_t\n";
    if (write(2, text, sizeof text - 1) > 0) abort();
  }
}

static void *gate_create(long value) {
  struct gate *g = calloc(1, sizeof *g);
  pthread_mutex_init(&g->mutex, NULL);
  pthread_cond_init(&g->changed, NULL);
  g->value = value;
  return g;
}

static bool gate_sleep(struct gate *g, dispatch_time_t until) {
  if (until == DISPATCH_TIME_NOW) return false;
  if (until == DISPATCH_TIME_FOREVER) return pthread_cond_wait(&g->changed, &g->mutex) == 0;
  struct timespec t = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
  return pthread_cond_timedwait(&g->changed, &g->mutex, &t) != ETIMEDOUT;
}

dispatch_semaphore_t dispatch_semaphore_create(intptr_t value) { return value < 0 ? NULL : gate_create(value); }

intptr_t dispatch_semaphore_wait(dispatch_semaphore_t semaphore, dispatch_time_t until) {
  struct gate *g = semaphore;
  pthread_mutex_lock(&g->mutex);
  g->waiting++;
  if (g->value == 0) use_port(g);
  for (bool awake = true; g->value == 0 && awake;) awake = gate_sleep(g, until);
  g->waiting--;
  intptr_t result = g->value > 0 ? 0 : TIMED_OUT;
  if (result == 0) g->value--;
  pthread_mutex_unlock(&g->mutex);
  return result;
}

intptr_t dispatch_semaphore_signal(dispatch_semaphore_t semaphore) {
  struct gate *g = semaphore;
  pthread_mutex_lock(&g->mutex);
  intptr_t woke = g->waiting > g->value;
  if (woke) use_port(g);
  g->value++;
  pthread_cond_signal(&g->changed);
  pthread_mutex_unlock(&g->mutex);
  return woke;
}

dispatch_group_t dispatch_group_create(void) { return gate_create(0); }

static void group_add(struct gate *g, long n) {
  pthread_mutex_lock(&g->mutex);
  if ((g->value += n) < 0) abort(); // left more often than entered: a crash of the client
  if (g->value == 0) pthread_cond_broadcast(&g->changed);
  pthread_mutex_unlock(&g->mutex);
}
void dispatch_group_enter(dispatch_group_t group) { group_add(group, 1); }
void dispatch_group_leave(dispatch_group_t group) { group_add(group, -1); }

intptr_t dispatch_group_wait(dispatch_group_t group, dispatch_time_t until) {
  struct gate *g = group;
  pthread_mutex_lock(&g->mutex);
  for (bool awake = true; g->value > 0 && awake;) awake = gate_sleep(g, until);
  intptr_t result = g->value > 0 ? TIMED_OUT : 0;
  pthread_mutex_unlock(&g->mutex);
  return result;
}

// A queue. Whoever has it has it alone, or, on a concurrent one, with others that came by dispatch_sync.
struct dispatch_queue_s {
  const char *label;
  bool concurrent;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  unsigned long next, serving; // tickets: the order is that of coming
  int inside;
  bool alone;
  struct handed *handed; // to the thread that drains the queue now
  bool drained;
};
struct handed {
  void *context;
  dispatch_function_t function;
  bool done;
  struct handed *next;
};

dispatch_queue_t dispatch_queue_create(const char *label, const void *attributes) {
  struct dispatch_queue_s *q = calloc(1, sizeof *q);
  q->label = label;
  q->concurrent = attributes == DISPATCH_QUEUE_CONCURRENT;
  pthread_mutex_init(&q->mutex, NULL);
  pthread_cond_init(&q->changed, NULL);
  return q;
}
const char *dispatch_queue_get_label(dispatch_queue_t q) { return q->label ? q->label : ""; }

static void enter(struct dispatch_queue_s *q, bool alone) {
  unsigned long ticket = q->next++;
  while (ticket != q->serving || q->alone || (alone && q->inside > 0)) pthread_cond_wait(&q->changed, &q->mutex);
  q->serving++;
  q->inside++;
  q->alone = alone;
  pthread_cond_broadcast(&q->changed);
}
static void leave(struct dispatch_queue_s *q) {
  q->inside--;
  q->alone = false;
  pthread_cond_broadcast(&q->changed);
}

static void run_on(struct dispatch_queue_s *q, bool barrier, void *context, dispatch_function_t function) {
  pthread_mutex_lock(&q->mutex);
  enter(q, barrier || !q->concurrent);
  pthread_mutex_unlock(&q->mutex);
  function(context);
  pthread_mutex_lock(&q->mutex);
  leave(q);
  pthread_mutex_unlock(&q->mutex);
}

// A thread that drains the queue: it runs what it was made for, and what is handed to it meanwhile.
struct drain {
  struct dispatch_queue_s *queue;
  void *context;
  dispatch_function_t function;
};
static void *drain(void *argument) {
  struct drain d = *(struct drain *)argument;
  free(argument);
  pthread_mutex_lock(&d.queue->mutex);
  enter(d.queue, true);
  d.queue->drained = true;
  pthread_mutex_unlock(&d.queue->mutex);
  d.function(d.context);
  pthread_mutex_lock(&d.queue->mutex);
  for (struct handed *h; (h = d.queue->handed);) {
    d.queue->handed = h->next;
    pthread_mutex_unlock(&d.queue->mutex);
    h->function(h->context);
    pthread_mutex_lock(&d.queue->mutex);
    h->done = true;
  }
  d.queue->drained = false;
  leave(d.queue);
  pthread_mutex_unlock(&d.queue->mutex);
  return NULL;
}
void dispatch_async_f(dispatch_queue_t q, void *context, dispatch_function_t function) {
  struct drain *d = malloc(sizeof *d);
  *d = (struct drain){q, context, function};
  pthread_t thread;
  if (pthread_create(&thread, NULL, drain, d) != 0) abort();
  pthread_detach(thread);
}

static void and_wait(struct dispatch_queue_s *q, bool barrier, void *context, dispatch_function_t function) {
  pthread_mutex_lock(&q->mutex);
  bool drained = q->drained;
  if (drained) {
    struct handed mine = {context, function, false, q->handed};
    q->handed = &mine;
    while (!mine.done) pthread_cond_wait(&q->changed, &q->mutex);
  }
  pthread_mutex_unlock(&q->mutex);
  if (!drained) run_on(q, barrier, context, function);
}

// Blocks: the layout is the Blocks ABI's.
struct block {
  void *isa;
  int flags, reserved;
  void (*invoke)(void *);
  const void *descriptor;
};
struct special {
  struct block block;
  dispatch_block_flags_t how;
  struct block *what;
};
extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);
extern void *_NSConcreteStackBlock[];

static void run_special(void *block) {
  struct block *what = ((struct special *)block)->what;
  what->invoke(what);
}
static void copy_special(void *to, const void *from) { ((struct special *)to)->what = _Block_copy(((const struct special *)from)->what); }
static void dispose_special(const void *block) { _Block_release(((const struct special *)block)->what); }
static const struct {
  uintptr_t reserved, size;
  void (*copy)(void *, const void *);
  void (*dispose)(const void *);
} special_descriptor = {0, sizeof(struct special), copy_special, dispose_special};

dispatch_block_t dispatch_block_create(dispatch_block_flags_t flags, dispatch_block_t block) {
  if (flags & ~0xfful) return NULL; // flags that are none
  struct special made = {{_NSConcreteStackBlock, 1 << 25, 0, run_special, &special_descriptor}, flags, block};
  return _Block_copy(&made);
}
dispatch_block_t dispatch_block_create_with_qos_class(dispatch_block_flags_t flags, dispatch_qos_class_t class, int priority, dispatch_block_t block) {
  return class > 0x21 || priority > 0 || priority < -15 ? NULL : dispatch_block_create(flags, block);
}

static void run_block(void *block) { ((struct block *)block)->invoke(block); }
static bool is_barrier(void *block) { return ((struct block *)block)->invoke == run_special && ((struct special *)block)->how & DISPATCH_BLOCK_BARRIER; }

void dispatch_sync_f(dispatch_queue_t q, void *context, dispatch_function_t function) { run_on(q, false, context, function); }
void dispatch_barrier_sync_f(dispatch_queue_t q, void *context, dispatch_function_t function) { run_on(q, true, context, function); }
void dispatch_sync(dispatch_queue_t q, dispatch_block_t block) { run_on(q, is_barrier(block), block, run_block); }
void dispatch_barrier_sync(dispatch_queue_t q, dispatch_block_t block) { run_on(q, true, block, run_block); }
void dispatch_async_and_wait_f(dispatch_queue_t q, void *context, dispatch_function_t function) { and_wait(q, false, context, function); }
void dispatch_barrier_async_and_wait_f(dispatch_queue_t q, void *context, dispatch_function_t function) { and_wait(q, true, context, function); }
void dispatch_async_and_wait(dispatch_queue_t q, dispatch_block_t block) { and_wait(q, is_barrier(block), block, run_block); }
void dispatch_barrier_async_and_wait(dispatch_queue_t q, dispatch_block_t block) { and_wait(q, true, block, run_block); }
