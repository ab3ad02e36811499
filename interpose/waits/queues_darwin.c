// Records waits for dispatch queues (queues.h). The thread that runs a block of a queue is recorded as the queue's
// holder.
#include "waits/queues.h"
#include <stdatomic.h>
#include <stdbool.h>
#include "core/clock.h"
#include "waits/locks.h"
#include "stacks/stack.h"
#include "core/thread.h"
#include "system/blocks.h"

struct mt_dispatch mt_dispatch;

static bool has_flags(void *block);

// The thread that runs a block of each queue now. If two queues share an entry, it has the later one.
static struct runner {
  _Atomic(mt_queue) queue;
  _Atomic uint64_t thread;
} runners[256];

struct mt_queue_wait {
  mt_queue queue;
  void *context;
  mt_queue_function function; // NULL: the context is a block
  uint64_t begin, begin_nanos, caller, holder;
  unsigned call;
  bool over;
  bool elsewhere;  // the block may run on the thread that drains the queue, while the caller still waits
  uint64_t turned; // the tick at which the block began; 0 if the wait is not recorded
  const void *frame; // of the function that the program called
};

enum { SHORTEST_WAIT_NANOS = 5000 }; // for a queue whose holder was not seen, for example because of dispatch_async

static struct runner *runner_of(mt_queue queue) {
    return &runners[((uintptr_t)queue >> 5) % (sizeof runners / sizeof *runners)]; }

// Returns the address of a block's code, which is the third word of a block's layout.
typedef void (*block_code)(void *);
static block_code code_of(void *block) { return ((block_code *)block)[2]; }

// For each thread, the wait for a block with flags that is in progress or was the last, indexed by the thread.
static struct mt_queue_wait *special[MT_THREADS];

static bool is_wait(const struct mt_queue_wait *wait) { return wait->holder ||
    mt_nanos() - wait->begin_nanos > SHORTEST_WAIT_NANOS; }

// Records a wait that has ended. Must run on the thread that waited, whose ring gets the record.
static void record(const struct mt_queue_wait *wait, uint64_t end) {
  mt_stack_late(wait->frame, wait->begin);
  mt_lock_waited_until(end, wait->call, (const void *)wait->queue, wait->begin, wait->holder,
      mt_dispatch.label(wait->queue));
}

// Called when the block begins: the wait is over. It runs on the waiting thread, with two exceptions: on the main
// queue, where nothing is recorded; and with dispatch_async_and_wait, whose caller records the wait when it resumes.
static void turn(struct mt_queue_wait *wait) {
  struct runner *runner = runner_of(wait->queue);
  uint64_t self = mt_thread_id();
  // If the holder still runs its block while this block begins, the queue is concurrent. The holder was then not the
  // cause of the wait.
  if (wait->holder && atomic_load_explicit(&runner->queue, memory_order_relaxed) == wait->queue &&
      atomic_load_explicit(&runner->thread, memory_order_relaxed) == wait->holder)
    wait->holder = 0;
  if (self == wait->caller) mt_wait_hide();
  if (self == wait->caller && is_wait(wait)) record(wait, mt_ticks());
  if (self != wait->caller && wait->elsewhere && is_wait(wait)) wait->turned = mt_ticks();
  atomic_store_explicit(&runner->queue, wait->queue, memory_order_relaxed);
  atomic_store_explicit(&runner->thread, self, memory_order_relaxed);
  wait->over = true;
}

static void finish(const struct mt_queue_wait *wait) { atomic_store_explicit(&runner_of(wait->queue)->thread, 0,
    memory_order_relaxed); }

static void run(void *context) {
  struct mt_queue_wait *wait = context;
  turn(wait);
  if (wait->function)
    wait->function(wait->context);
  else
    code_of(wait->context)(wait->context);
  finish(wait);
}

static void begin(struct mt_queue_wait *wait, const void *frame) {
  struct runner *runner = runner_of(wait->queue);
  if (atomic_load_explicit(&runner->queue, memory_order_relaxed) == wait->queue) wait->holder =
      atomic_load_explicit(&runner->thread, memory_order_relaxed);
  wait->caller = mt_thread_id();
  wait->frame = frame;
  wait->begin_nanos = mt_nanos();
  wait->begin = mt_ticks();
  mt_wait_show(wait->call, (const void *)wait->queue, wait->holder, wait->begin, false);
}

void mt_queue_sync_f(void (*original)(mt_queue, void *, mt_queue_function), unsigned call, mt_queue queue,
    void *context, mt_queue_function function) {
  if (!mt_locks_on()) return original(queue, context, function);
  struct mt_queue_wait wait = {.queue = queue, .context = context, .function = function, .call = call};
  begin(&wait, __builtin_frame_address(0));
  original(queue, &wait, run);
  mt_wait_hide();
}

void mt_queue_async_and_wait_f(void (*original)(mt_queue, void *, mt_queue_function), unsigned call, mt_queue queue,
    void *context, mt_queue_function function) {
  if (!mt_locks_on()) return original(queue, context, function);
  struct mt_queue_wait wait = {.queue = queue, .context = context, .function = function, .call = call,
      .elsewhere = true};
  begin(&wait, __builtin_frame_address(0));
  original(queue, &wait, run);
  mt_wait_hide();
  if (wait.turned) record(&wait, wait.turned);
}

void mt_queue_async_and_wait(void (*original)(mt_queue, void *), void (*original_f)(mt_queue, void *,
    mt_queue_function), unsigned call, mt_queue queue, void *block) {
  if (!mt_locks_on() || has_flags(block)) return original(queue, block);
  struct mt_queue_wait wait = {.queue = queue, .context = block, .call = call, .elsewhere = true};
  begin(&wait, __builtin_frame_address(0));
  original_f(queue, &wait, run);
  mt_wait_hide();
  if (wait.turned) record(&wait, wait.turned);
}

// Returns whether a block was made by dispatch_block_create. Such a block contains flags, which dispatch reads from
// the block itself, so the block must reach dispatch unchanged. Dispatch recognizes such blocks by their code
// address, which is the same for all. This function gets that address from a block that it creates at its first call.
static void nothing(void *block) { (void)block; }
static bool has_flags(void *block) {
  static const struct {
    uintptr_t reserved, size;
  } descriptor = {0, 32};
  static _Atomic(block_code) special;
  block_code code = atomic_load_explicit(&special, memory_order_relaxed);
  if (!code && mt_blocks.global) {
    struct {
      void *isa;
      int flags, reserved;
      block_code invoke;
      const void *descriptor;
    } empty = {mt_blocks.global, 1 << 28, 0, nothing, &descriptor}; // 1 << 28: a global block
    void *made = mt_dispatch.block_create(0, &empty);
    if (!made) return true;
    code = code_of(made);
    mt_dispatch.release(made);
    atomic_store_explicit(&special, code, memory_order_relaxed);
  }
  return code_of(block) == code;
}

// Waits for a block with flags. mt_queue_watch has put a block of this library inside it. When that one begins, it
// finds the wait in the array `special` and ends it.
static void sync_special(void (*original)(mt_queue, void *), struct mt_queue_wait *wait, void *block) {
  struct thread *t = mt_thread();
  if (!t) return original(wait->queue, block);
  struct mt_queue_wait *outer = special[t->index];
  special[t->index] = wait;
  original(wait->queue, block);
  special[t->index] = outer;
}

void mt_queue_sync(void (*original)(mt_queue, void *), void (*original_f)(mt_queue, void *, mt_queue_function),
    unsigned call, mt_queue queue, void *block) {
  if (!mt_locks_on()) return original(queue, block);
  struct mt_queue_wait wait = {.queue = queue, .context = block, .call = call};
  begin(&wait, __builtin_frame_address(0));
  if (has_flags(block))
    sync_special(original, &wait, block);
  else
    original_f(queue, &wait, run);
  mt_wait_hide();
}

// The layout and the flags of blocks, as in hook/async.c: Apple's runtime copies and frees blocks by them.
enum { HAS_COPY_DISPOSE = 1 << 25, HAS_DESCRIPTOR = 1 << 29, FIELD_IS_BLOCK = 7 };
struct watched {
  void *isa;
  int flags, reserved;
  void (*invoke)(struct watched *);
  const void *descriptor;
  void *block; // the program's
};
static void copy(struct watched *to, const struct watched *from) { mt_blocks.assign(&to->block, from->block,
    FIELD_IS_BLOCK); }
static void dispose(const struct watched *watched) { mt_blocks.dispose(watched->block, FIELD_IS_BLOCK); }
static const struct {
  uintptr_t reserved, size;
  void (*copy)(struct watched *, const struct watched *);
  void (*dispose)(const struct watched *);
} watched_descriptor = {0, sizeof(struct watched), copy, dispose};

static void invoke(struct watched *watched) {
  struct thread *t = mt_thread_get();
  struct mt_queue_wait *wait = (uintptr_t)t > (uintptr_t)MT_THREAD_GONE && special[t->index] &&
      !special[t->index]->over ? special[t->index] : NULL;
  if (wait) turn(wait);
  code_of(watched->block)(watched->block);
  if (wait) finish(wait); // this thread no longer runs the queue's block: store that before the queue runs its next one
}

void *mt_queue_watch(struct mt_queue_block *room, void *block) {
  _Static_assert(sizeof(struct watched) <= sizeof *room, "room for a block");
  if (!mt_locks_on() || !block || !mt_blocks.stack || !mt_blocks.assign || !mt_blocks.dispose) return block;
  *(struct watched *)(void *)room = (struct watched){mt_blocks.stack, HAS_COPY_DISPOSE | HAS_DESCRIPTOR, 0, invoke,
      &watched_descriptor, block};
  return room;
}
