// The program's imports: what dyld binds to the library's replacements. Rule: each call goes where the tables of pairs say, as a call does
// that dyld has bound, and to the original where they say nothing; a program that calls one of these calls what a Mac's program calls. The
// functions have the names for the linker only: the compiler knows those of the C library by theirs.
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include "fakes.h"

#define EXPORT __attribute__((visibility("default")))
#define QUEUE_F (dispatch_queue_t queue, void *context, dispatch_function_t function)
#define QUEUE_BLOCK (dispatch_queue_t queue, dispatch_block_t block)

#define IMPORTS(X) \
  X(int, pthread_mutex_lock, (pthread_mutex_t *lock), (lock)) \
  X(int, pthread_mutex_trylock, (pthread_mutex_t *lock), (lock)) \
  X(int, pthread_mutex_unlock, (pthread_mutex_t *lock), (lock)) \
  X(int, pthread_rwlock_rdlock, (pthread_rwlock_t *lock), (lock)) \
  X(int, pthread_rwlock_wrlock, (pthread_rwlock_t *lock), (lock)) \
  X(int, pthread_rwlock_unlock, (pthread_rwlock_t *lock), (lock)) \
  X(int, pthread_cond_wait, (pthread_cond_t *condition, pthread_mutex_t *mutex), (condition, mutex)) \
  X(int, pthread_cond_timedwait, (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until), (condition, mutex, until)) \
  X(int, pthread_cond_timedwait_relative_np, (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time), (condition, mutex, time)) \
  X(int, pthread_cond_signal, (pthread_cond_t *condition), (condition)) \
  X(int, pthread_cond_broadcast, (pthread_cond_t *condition), (condition)) \
  X(void, dispatch_sync_f, QUEUE_F, (queue, context, function)) \
  X(void, dispatch_barrier_sync_f, QUEUE_F, (queue, context, function)) \
  X(void, dispatch_sync, QUEUE_BLOCK, (queue, block)) \
  X(void, dispatch_barrier_sync, QUEUE_BLOCK, (queue, block)) \
  X(void, dispatch_async_and_wait_f, QUEUE_F, (queue, context, function)) \
  X(void, dispatch_barrier_async_and_wait_f, QUEUE_F, (queue, context, function)) \
  X(void, dispatch_async_and_wait, QUEUE_BLOCK, (queue, block)) \
  X(void, dispatch_barrier_async_and_wait, QUEUE_BLOCK, (queue, block)) \
  X(dispatch_block_t, dispatch_block_create, (dispatch_block_flags_t flags, dispatch_block_t block), (flags, block)) \
  X(dispatch_block_t, dispatch_block_create_with_qos_class, (dispatch_block_flags_t flags, dispatch_qos_class_t class, int priority, dispatch_block_t block), (flags, class, priority, block)) \
  X(intptr_t, dispatch_semaphore_wait, (dispatch_semaphore_t semaphore, dispatch_time_t until), (semaphore, until)) \
  X(intptr_t, dispatch_semaphore_signal, (dispatch_semaphore_t semaphore), (semaphore)) \
  X(intptr_t, dispatch_group_wait, (dispatch_group_t group, dispatch_time_t until), (group, until)) \
  X(void, dispatch_group_leave, (dispatch_group_t group), (group)) \
  X(void *, MTLCreateSystemDefaultDevice, (void), ()) \
  X(void *, MTLCopyAllDevices, (void), ()) \
  X(void *, MTLCopyAllDevicesWithObserver, (void **observer, void *handler), (observer, handler))

// Found once, as dyld does; whoever comes at the same time finds the same.
#define X(type, name, parameters, arguments) \
  extern type original_##name parameters; \
  EXPORT type bound_##name parameters __asm__(#name); \
  type bound_##name parameters { \
    static _Atomic(type(*) parameters) bound; \
    type(*to) parameters = atomic_load_explicit(&bound, memory_order_relaxed); \
    if (!to) { \
      to = (type(*) parameters)mac_replacement((const void *)original_##name); \
      atomic_store_explicit(&bound, to, memory_order_relaxed); \
    } \
    return to arguments; \
  }
IMPORTS(X)
#undef X

const void *mac_original(const char *name) {
#define X(type, function, parameters, arguments) {#function, (const void *)original_##function},
  static const struct {
    const char *name;
    const void *original;
  } originals[] = {IMPORTS(X)};
#undef X
  for (unsigned i = 0; i < sizeof originals / sizeof *originals; i++)
    if (strcmp(originals[i].name, name) == 0) return originals[i].original;
  return NULL;
}
