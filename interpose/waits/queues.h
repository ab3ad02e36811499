// Dispatch queues as locks: dispatch_sync waits until the queue runs its block. This code is built for macOS, and for
// a test with the dispatch library of another system. Dispatch's functions are called through the table mt_dispatch,
// which must be filled first.
//
// Rule: the wait ends when the queue begins to run the block. Therefore this library gives dispatch a function of its
// own, which records the wait and then calls the program's function. A block from dispatch_block_create carries flags
// and must reach dispatch unchanged. So when the program creates such a block, this library replaces the block inside
// it. Waits for a block that was created before the process used Metal are not recorded.
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

// Runs a function on a queue by calling original (dispatch_sync_f or dispatch_barrier_sync_f), and records the wait
// until the function begins.
void mt_queue_sync_f(void (*original)(mt_queue, void *, mt_queue_function), unsigned call, mt_queue queue,
    void *context, mt_queue_function function);

// Runs a block on a queue and records the wait until the block begins. original runs blocks; original_f runs functions
// and is used instead if the block has no flags.
void mt_queue_sync(void (*original)(mt_queue, void *block), void (*original_f)(mt_queue, void *, mt_queue_function),
    unsigned call, mt_queue queue, void *block);

// Record the wait of dispatch_async_and_wait and its variants, which may run the block or function on the thread that
// drains the queue. A block with flags is passed to dispatch unchanged, and its wait is not recorded.
void mt_queue_async_and_wait_f(void (*original)(mt_queue, void *, mt_queue_function), unsigned call, mt_queue queue,
    void *context, mt_queue_function function);
void mt_queue_async_and_wait(void (*original)(mt_queue, void *block), void (*original_f)(mt_queue, void *,
    mt_queue_function), unsigned call, mt_queue queue, void *block);

// Replace dispatch_semaphore_wait, dispatch_semaphore_signal, dispatch_group_wait and dispatch_group_leave in a
// traced process. frame and waiter are the frame and the return address of the function that the program called.
intptr_t mt_semaphore_wait(void *semaphore, uint64_t until, const void *frame, void *waiter);
intptr_t mt_semaphore_signal(void *semaphore);
intptr_t mt_group_wait(void *group, uint64_t until, const void *frame, void *waiter);
void mt_group_leave(void *group);

// Returns a block that the caller passes to dispatch_block_create instead of the program's block. It ends the recorded
// wait and then calls the program's block. The block is stored in *room, which must stay valid until dispatch has
// copied it.
struct mt_queue_block {
  void *words[6];
};
void *mt_queue_watch(struct mt_queue_block *room, void *block);
#endif
