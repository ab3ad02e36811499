// macOS: replaces the lock functions by dyld's interposing. It reaches the calls of every image, including Apple's
// own frameworks, but not this library's own calls (hook/interpose_darwin.c). os_unfair_lock is in ulocks_darwin.c.
#include <dispatch/dispatch.h>
#include <dlfcn.h>
#include <errno.h>
#include "waits/handoff.h"
#include "waits/locks.h"
#include "waits/queues.h"
#include "waits/replaced.h"
#include "stacks/python.h"
#include "stacks/stack.h"

#define LOCK(call, lock, try, holder, take) \
  if (!mt_locks_on()) return call(lock); \
  int result = try(lock); \
  if (result == 0 && take) mt_lock_taken(lock, false); \
  if (result != EBUSY) return result; \
  if (mt_locks_own()) return call(lock); \
  mt_thread(); /* take the ring now: later, that would lengthen the time that the thread holds the lock */ \
  uint64_t held_by = holder; \
  uint64_t begin = mt_wait_begin(MT_CALL_lock_##call, lock, held_by, __builtin_frame_address(0), mt_python_has(lock)); \
  result = call(lock); \
  mt_wait_hide(); \
  if (result == 0 && take) mt_lock_taken(lock, true); \
  mt_lock_waited(MT_CALL_lock_##call, lock, lock, begin, held_by, __builtin_return_address(0)); \
  return result

// A mutex on macOS does not show its owner. Therefore, once a thread has waited for a mutex, each thread that
// acquires the mutex is stored as its taker. For all other mutexes this costs one more load.
static int mutex_lock(pthread_mutex_t *lock) { LOCK(pthread_mutex_lock, lock, pthread_mutex_trylock,
    mt_handoff_taker(lock), true); }
static int mutex_trylock(pthread_mutex_t *lock) {
  int result = pthread_mutex_trylock(lock);
  if (result == 0 && mt_locks_on()) mt_lock_taken(lock, false);
  return result;
}
// For read-write locks the holder is reported as unknown: readers share the lock, so the last one is not the only
// holder.
static int rdlock(pthread_rwlock_t *lock) { LOCK(pthread_rwlock_rdlock, lock, pthread_rwlock_tryrdlock, 0, false); }
static int wrlock(pthread_rwlock_t *lock) { LOCK(pthread_rwlock_wrlock, lock, pthread_rwlock_trywrlock, 0, false); }

static int mutex_unlock(pthread_mutex_t *lock) {
  mt_lock_releasing(lock);
  int result = pthread_mutex_unlock(lock);
  mt_lock_given_back(lock);
  return result;
}
static int rw_unlock(pthread_rwlock_t *lock) {
  mt_lock_releasing(lock);
  int result = pthread_rwlock_unlock(lock);
  mt_lock_given_back(lock);
  return result;
}

static void sync_f(mt_queue queue, void *context, mt_queue_function function) {
  mt_queue_sync_f(dispatch_sync_f, MT_CALL_lock_dispatch_sync_f, queue, context, function);
}
static void barrier_sync_f(mt_queue queue, void *context, mt_queue_function function) {
  mt_queue_sync_f(dispatch_barrier_sync_f, MT_CALL_lock_dispatch_barrier_sync_f, queue, context, function);
}

static void original_sync(mt_queue queue, void *block) { dispatch_sync(queue, (dispatch_block_t)block); }
static void original_barrier_sync(mt_queue queue, void *block) { dispatch_barrier_sync(queue, (dispatch_block_t)block);
    }
static void sync_block(mt_queue queue, void *block) { mt_queue_sync(original_sync, dispatch_sync_f,
    MT_CALL_lock_dispatch_sync, queue, block); }
static void barrier_sync_block(mt_queue queue, void *block) {
  mt_queue_sync(original_barrier_sync, dispatch_barrier_sync_f, MT_CALL_lock_dispatch_barrier_sync, queue, block);
}

static void async_and_wait_f(mt_queue queue, void *context, mt_queue_function function) {
  mt_queue_async_and_wait_f(dispatch_async_and_wait_f, MT_CALL_lock_dispatch_async_and_wait_f, queue, context,
      function);
}
static void barrier_async_and_wait_f(mt_queue queue, void *context, mt_queue_function function) {
  mt_queue_async_and_wait_f(dispatch_barrier_async_and_wait_f, MT_CALL_lock_dispatch_barrier_async_and_wait_f, queue,
      context, function);
}
static void original_async_and_wait(mt_queue queue, void *block) { dispatch_async_and_wait(queue,
    (dispatch_block_t)block); }
static void original_barrier_async_and_wait(mt_queue queue, void *block) { dispatch_barrier_async_and_wait(queue,
    (dispatch_block_t)block); }
static void async_and_wait(mt_queue queue, void *block) {
  mt_queue_async_and_wait(original_async_and_wait, dispatch_async_and_wait_f, MT_CALL_lock_dispatch_async_and_wait,
      queue, block);
}
static void barrier_async_and_wait(mt_queue queue, void *block) {
  mt_queue_async_and_wait(original_barrier_async_and_wait, dispatch_barrier_async_and_wait_f,
      MT_CALL_lock_dispatch_barrier_async_and_wait, queue, block);
}

static dispatch_block_t block_create(dispatch_block_flags_t flags, dispatch_block_t block) {
  struct mt_queue_block room;
  return dispatch_block_create(flags, (dispatch_block_t)mt_queue_watch(&room, (void *)block));
}
static dispatch_block_t block_create_with_qos_class(dispatch_block_flags_t flags, dispatch_qos_class_t class,
    int priority, dispatch_block_t block) {
  struct mt_queue_block room;
  return dispatch_block_create_with_qos_class(flags, class, priority, (dispatch_block_t)mt_queue_watch(&room,
      (void *)block));
}

static void *original_create(unsigned long flags, void *block) { return (void *)dispatch_block_create(flags,
    (dispatch_block_t)block); }

static intptr_t original_semaphore_wait(void *semaphore, uint64_t until) { return dispatch_semaphore_wait(semaphore,
    until); }
static intptr_t original_semaphore_signal(void *semaphore) { return dispatch_semaphore_signal(semaphore); }
static intptr_t original_group_wait(void *group, uint64_t until) { return dispatch_group_wait(group, until); }
static void original_group_leave(void *group) { dispatch_group_leave(group); }

// Fills in the originals of dispatch. It runs before any thread of the program, because constructors of an inserted
// library run first.
extern void _Block_release(const void *block);
__attribute__((constructor)) static void fill(void) {
  mt_dispatch = (struct mt_dispatch){original_create, _Block_release, dispatch_queue_get_label, original_semaphore_wait,
      original_semaphore_signal,
      original_group_wait, original_group_leave};
}

// Returns whether dyld applies this library's replacements. If dyld does, dlsym returns the replacements, too (dyld,
// Loader.cpp). Another inserted library may replace some of the functions again, so it suffices that dlsym returns
// one of ours.
bool mt_waits_replaced(void) {
  static const struct {
    const char *name;
    const void *replacement;
  } some[] = {{"pthread_mutex_lock", (const void *)mutex_lock},
              {"pthread_rwlock_wrlock", (const void *)wrlock},
              {"dispatch_sync_f", (const void *)sync_f},
              {"dispatch_block_create_with_qos_class", (const void *)block_create_with_qos_class}};
  for (unsigned i = 0; i < sizeof some / sizeof *some; i++)
    if (dlsym(RTLD_DEFAULT, some[i].name) == some[i].replacement) return true;
  return false;
}

__attribute__((used, section("__DATA,__interpose"))) static const struct {
  const void *replacement, *original;
} pairs[] = {
    {(const void *)mutex_lock, (const void *)pthread_mutex_lock},
    {(const void *)mutex_trylock, (const void *)pthread_mutex_trylock},
    {(const void *)rdlock, (const void *)pthread_rwlock_rdlock},
    {(const void *)wrlock, (const void *)pthread_rwlock_wrlock},
    {(const void *)mutex_unlock, (const void *)pthread_mutex_unlock},
    {(const void *)rw_unlock, (const void *)pthread_rwlock_unlock},
    {(const void *)sync_f, (const void *)dispatch_sync_f},
    {(const void *)barrier_sync_f, (const void *)dispatch_barrier_sync_f},
    {(const void *)sync_block, (const void *)dispatch_sync},
    {(const void *)barrier_sync_block, (const void *)dispatch_barrier_sync},
    {(const void *)async_and_wait_f, (const void *)dispatch_async_and_wait_f},
    {(const void *)barrier_async_and_wait_f, (const void *)dispatch_barrier_async_and_wait_f},
    {(const void *)async_and_wait, (const void *)dispatch_async_and_wait},
    {(const void *)barrier_async_and_wait, (const void *)dispatch_barrier_async_and_wait},
    {(const void *)block_create, (const void *)dispatch_block_create},
    {(const void *)block_create_with_qos_class, (const void *)dispatch_block_create_with_qos_class},
};
