// What the files for macOS use of Apple's headers below that one. Blocks are pointers: gcc has no type for them.
//
// Rule, of libdispatch's src/semaphore.c, src/queue.c and src/init.c: a wait that timed out is not 0; a semaphore begins with 0 or more; what is
// given to a serial queue runs on the thread that waits, one after the other, but for dispatch_async_and_wait, which a thread that drains the
// queue runs; all blocks of dispatch_block_create have the same code.
#ifndef FAKE_DISPATCH_H
#define FAKE_DISPATCH_H
#include <stddef.h>
#include <stdint.h>

typedef struct dispatch_queue_s *dispatch_queue_t;
typedef void *dispatch_semaphore_t, *dispatch_group_t, *dispatch_block_t;
typedef void (*dispatch_function_t)(void *);
typedef uint64_t dispatch_time_t;
typedef unsigned long dispatch_block_flags_t;
typedef unsigned dispatch_qos_class_t;

#define DISPATCH_TIME_NOW 0ull
#define DISPATCH_TIME_FOREVER (~0ull)
enum { DISPATCH_BLOCK_BARRIER = 1 };

dispatch_time_t dispatch_time(dispatch_time_t when, int64_t delta);
dispatch_semaphore_t dispatch_semaphore_create(intptr_t value);
intptr_t dispatch_semaphore_wait(dispatch_semaphore_t semaphore, dispatch_time_t until);
intptr_t dispatch_semaphore_signal(dispatch_semaphore_t semaphore);
dispatch_group_t dispatch_group_create(void);
void dispatch_group_enter(dispatch_group_t group);
void dispatch_group_leave(dispatch_group_t group);
intptr_t dispatch_group_wait(dispatch_group_t group, dispatch_time_t until);

dispatch_queue_t dispatch_queue_create(const char *label, const void *attributes);
#define DISPATCH_QUEUE_CONCURRENT ((const void *)1)
const char *dispatch_queue_get_label(dispatch_queue_t queue);
void dispatch_async_f(dispatch_queue_t queue, void *context, dispatch_function_t function);
void dispatch_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t function);
void dispatch_barrier_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t function);
void dispatch_sync(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_barrier_sync(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_async_and_wait_f(dispatch_queue_t queue, void *context, dispatch_function_t function);
void dispatch_barrier_async_and_wait_f(dispatch_queue_t queue, void *context, dispatch_function_t function);
void dispatch_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_barrier_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);
dispatch_block_t dispatch_block_create(dispatch_block_flags_t flags, dispatch_block_t block);
dispatch_block_t dispatch_block_create_with_qos_class(dispatch_block_flags_t flags, dispatch_qos_class_t class, int priority, dispatch_block_t block);
#endif
