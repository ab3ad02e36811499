// Dispatch queues as locks: dispatch_sync waits until the queue runs its block. Built for macOS, and for a test that
// uses the dispatch library of another system; the library's functions come from a table, which must be filled before
// anything here is called.
//
// Rule: the wait ends when the block begins. Therefore dispatch gets a function of the library, which records the wait
// and then calls the program's. A block from dispatch_block_create, with flags, must reach dispatch unchanged; the
// block inside it is replaced when it is created, so if it was created before Metal was in use, its waits are not
// recorded.
#ifndef MTRACE_QUEUES_H
#define MTRACE_QUEUES_H
#include <stdint.h>

typedef struct dispatch_queue_s *mt_queue;
typedef void (*mt_queue_function)(void *context);

extern struct mt_dispatch {
  void *(*block_create)(unsigned long flags, void *block);
  void (*release)(const void *block);
  const char *(*label)(mt_queue queue);
  intptr_t (*semaphore_wait)(void *semaphore, uint64_t until);
  intptr_t (*semaphore_signal)(void *semaphore);
  intptr_t (*group_wait)(void *group, uint64_t until);
  void (*group_leave)(void *group);
} mt_dispatch;

// Runs a function on a queue as original does, dispatch_sync_f or dispatch_barrier_sync_f, and records the wait.
void mt_queue_sync_f(void (*original)(mt_queue, void *, mt_queue_function), unsigned call, mt_queue queue,
    void *context, mt_queue_function function);

// Runs a block on a queue as original does, or, where the block has no flags, as original_f does.
void mt_queue_sync(void (*original)(mt_queue, void *block), void (*original_f)(mt_queue, void *, mt_queue_function),
    unsigned call, mt_queue queue, void *block);

// The same for dispatch_async_and_wait and its variants, whose block or function may run on the thread that drains the
// queue. A block with flags goes to dispatch unchanged, and its wait is not recorded.
void mt_queue_async_and_wait_f(void (*original)(mt_queue, void *, mt_queue_function), unsigned call, mt_queue queue,
    void *context, mt_queue_function function);
void mt_queue_async_and_wait(void (*original)(mt_queue, void *block), void (*original_f)(mt_queue, void *,
    mt_queue_function), unsigned call, mt_queue queue, void *block);

// Semaphores and groups, as dispatch_semaphore_wait, dispatch_semaphore_signal, dispatch_group_wait and
// dispatch_group_leave, once waits are recorded. frame and waiter belong to the function that the program called.
intptr_t mt_semaphore_wait(void *semaphore, uint64_t until, const void *frame, void *waiter);
intptr_t mt_semaphore_signal(void *semaphore);
intptr_t mt_group_wait(void *group, uint64_t until, const void *frame, void *waiter);
void mt_group_leave(void *group);

// The block from which to create a block with flags, instead of the program's block. It is in room, which must stay
// valid until dispatch has copied it.
struct mt_queue_block {
  void *words[6];
};
void *mt_queue_watch(struct mt_queue_block *room, void *block);
#endif
