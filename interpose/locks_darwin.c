// macOS: dyld's interposing reaches the calls of every image, and those of Apple's own frameworks to these functions, but not our
// own (interpose_darwin.c). Locks of the kind os_unfair_lock cannot be seen.
//
// A dispatch queue is a lock that runs its block: the wait ends when the block begins. The thread that runs one is the holder.
#include <dispatch/dispatch.h>
#include <errno.h>
#include <stdatomic.h>
#include "clock.h"
#include "handoff.h"
#include "locks.h"
#include "stack.h"

#define LOCK(call, lock, try, holder, take) \
  if (!mt_locks_on()) return call(lock); \
  int result = try(lock); \
  if (result == 0 && take) mt_handoff_take(lock, false); \
  if (result != EBUSY) return result; \
  uint64_t held_by = holder; \
  uint64_t begin = mt_stack_begin_wait(MT_CALL_lock_##call, __builtin_frame_address(0)); \
  result = call(lock); \
  if (result == 0 && take) mt_handoff_take(lock, true); \
  mt_lock_waited(MT_CALL_lock_##call, lock, begin, held_by, NULL, __builtin_return_address(0)); \
  return result

// Who has a mutex is not to be read from it, so whoever takes one that was waited for once is noted: a load more for all others.
static int mutex_lock(pthread_mutex_t *lock) { LOCK(pthread_mutex_lock, lock, pthread_mutex_trylock, mt_handoff_taker(lock), true); }
static int mutex_trylock(pthread_mutex_t *lock) {
  int result = pthread_mutex_trylock(lock);
  if (result == 0 && mt_locks_on()) mt_handoff_take(lock, false);
  return result;
}
// Readers share a lock, so the last to come does not say who has it.
static int rdlock(pthread_rwlock_t *lock) { LOCK(pthread_rwlock_rdlock, lock, pthread_rwlock_tryrdlock, 0, false); }
static int wrlock(pthread_rwlock_t *lock) { LOCK(pthread_rwlock_wrlock, lock, pthread_rwlock_trywrlock, 0, false); }

// Which thread runs a block of a queue: by queue, the last one to come where two share an entry.
static struct runner {
  _Atomic(dispatch_queue_t) queue;
  _Atomic uint64_t thread;
} runners[256];

extern void _Block_release(const void *block);

struct work {
  dispatch_queue_t queue;
  void *context;
  dispatch_function_t function; // NULL: the context is a block
  uint64_t begin, begin_nanos, caller, holder;
  unsigned call;
  const void *frame; // of the function that the program called
};

enum { SHORTEST_WAIT_NANOS = 5000 }; // of a queue whose holder came by a way that is not seen, as by dispatch_async

static uint64_t thread_id(void) {
  uint64_t id = 0;
  pthread_threadid_np(NULL, &id);
  return id;
}

static struct runner *runner_of(dispatch_queue_t queue) { return &runners[((uintptr_t)queue >> 5) % (sizeof runners / sizeof *runners)]; }

// The block's turn has come. It runs on the thread that waits, except on the main queue: then nothing is recorded.
static void run(void *context) {
  struct work *work = context;
  struct runner *runner = runner_of(work->queue);
  uint64_t self = thread_id();
  if (self == work->caller && (work->holder || mt_nanos() - work->begin_nanos > SHORTEST_WAIT_NANOS)) {
    mt_stack_late(work->frame, work->begin);
    mt_lock_waited(work->call, work->queue, work->begin, work->holder, dispatch_queue_get_label(work->queue), NULL);
  }
  atomic_store_explicit(&runner->queue, work->queue, memory_order_relaxed);
  atomic_store_explicit(&runner->thread, self, memory_order_relaxed);
  if (work->function)
    work->function(work->context);
  else
    ((void (**)(void *))work->context)[2](work->context); // a block's third word is its code
  atomic_store_explicit(&runner->thread, 0, memory_order_relaxed);
}

static void sync_on(void (*original)(dispatch_queue_t, void *, dispatch_function_t), struct work work) {
  struct runner *runner = runner_of(work.queue);
  if (atomic_load_explicit(&runner->queue, memory_order_relaxed) == work.queue) work.holder = atomic_load_explicit(&runner->thread, memory_order_relaxed);
  work.caller = thread_id();
  work.frame = __builtin_frame_address(0);
  work.begin_nanos = mt_nanos();
  work.begin = mt_ticks();
  original(work.queue, &work, run);
}

static void sync_f(dispatch_queue_t queue, void *context, dispatch_function_t function) {
  if (!mt_locks_on()) return dispatch_sync_f(queue, context, function);
  sync_on(dispatch_sync_f, (struct work){.queue = queue, .context = context, .function = function, .call = MT_CALL_lock_dispatch_sync_f});
}
static void barrier_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t function) {
  if (!mt_locks_on()) return dispatch_barrier_sync_f(queue, context, function);
  sync_on(dispatch_barrier_sync_f, (struct work){.queue = queue, .context = context, .function = function, .call = MT_CALL_lock_dispatch_barrier_sync_f});
}

// A block of dispatch_block_create says how it is to be run, which dispatch reads from the block itself: such a block must reach it as
// it is, and the wait for it is not recorded. They all have the same code, which is how dispatch knows them; it is read from one
// that is made at the first wait.
static bool has_flags(dispatch_block_t block) {
  static _Atomic(void *) special;
  void *code = atomic_load_explicit(&special, memory_order_relaxed);
  if (!code) {
    dispatch_block_t made = dispatch_block_create(0, ^{});
    code = ((void **)(void *)made)[2];
    _Block_release((void *)made);
    atomic_store_explicit(&special, code, memory_order_relaxed);
  }
  return ((void **)(void *)block)[2] == code;
}
static void sync_block(dispatch_queue_t queue, dispatch_block_t block) {
  if (!mt_locks_on() || has_flags(block)) return dispatch_sync(queue, block);
  sync_on(dispatch_sync_f, (struct work){.queue = queue, .context = (void *)block, .call = MT_CALL_lock_dispatch_sync});
}
static void barrier_sync_block(dispatch_queue_t queue, dispatch_block_t block) {
  if (!mt_locks_on() || has_flags(block)) return dispatch_barrier_sync(queue, block);
  sync_on(dispatch_barrier_sync_f, (struct work){.queue = queue, .context = (void *)block, .call = MT_CALL_lock_dispatch_barrier_sync});
}

__attribute__((used, section("__DATA,__interpose"))) static const struct {
  const void *replacement, *original;
} pairs[] = {
    {(const void *)mutex_lock, (const void *)pthread_mutex_lock},
    {(const void *)mutex_trylock, (const void *)pthread_mutex_trylock},
    {(const void *)rdlock, (const void *)pthread_rwlock_rdlock},
    {(const void *)wrlock, (const void *)pthread_rwlock_wrlock},
    {(const void *)sync_f, (const void *)dispatch_sync_f},
    {(const void *)barrier_sync_f, (const void *)dispatch_barrier_sync_f},
    {(const void *)sync_block, (const void *)dispatch_sync},
    {(const void *)barrier_sync_block, (const void *)dispatch_barrier_sync},
};

void mt_own_lock(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }
void mt_own_unlock(pthread_mutex_t *mutex) { pthread_mutex_unlock(mutex); }
