// Gets the GPU times of Metal 4 from feedback handlers (feedback.h). The handler is a block that holds the numbers of
// the command buffers of the commit in progress. Metal copies the block once, when it is added to the options; the copy
// is freed with the options, after their last commit.
//
// Memory order: the options exist as long as a commit uses them, and they own the handler, so a commit that finds the
// handler may use it. The thread that raises the count of commits from zero to one writes the numbers before it
// commits. The thread that runs the handler reads the numbers, and only then decrements the count; Metal's own
// synchronization orders the two. While the count is not zero, no other thread writes the numbers; otherwise GPU
// times would be assigned to the wrong command buffers.
#include "features/feedback.h"
#include <errno.h>
#include <stdatomic.h>
#include "hook/classes.h"
#include "core/clock.h"
#include "core/delay.h"
#include "core/identity.h"
#include "hook/install.h"
#include "hook/methods.h"
#include "core/state.h"
#include "core/thread.h"

// Flags of blocks as in async.c; MTLCommandBufferStatus.
enum { HAS_COPY_DISPOSE = 1 << 25, HAS_DESCRIPTOR = 1 << 29, FEEDBACK_COMPLETED = 4, FEEDBACK_FAILED = 5,
    MOST_BUFFERS = 16 };

struct feedback {
  void *isa;
  int flags, reserved;
  void (*invoke)(struct feedback *, id);
  const void *descriptor;
  const void *options;
  _Atomic uint32_t under_way; // commits with these options, and MIXED
  uint32_t count, buffers[MOST_BUFFERS];
};
// This bit is set when two commits with the same options overlap: a feedback does not say to which commit it belongs,
// so both get no times. The bit is cleared when no commit is in progress.
#define MIXED (UINT32_C(1) << 31)

// Maps options to their handler. It uses open addressing and never removes keys, as identity.c does. New options
// objects reuse the addresses of freed ones, so there are few keys.
enum { ENTRIES = 4096, MOST_OPTIONS_PROBES = 64 };
static struct entry {
  _Atomic uintptr_t options;
  _Atomic(struct feedback *) feedback;
} entries[ENTRIES];

static struct entry *entry_of(const void *options, bool make) {
  uintptr_t key = (uintptr_t)options;
  unsigned slot = (unsigned)((key >> 4) * 0x9e3779b97f4a7c15ull >> 52);
  for (int probe = 0; probe < MOST_OPTIONS_PROBES; probe++, slot = (slot + 1) % ENTRIES) {
    struct entry *e = &entries[slot];
    uintptr_t found = atomic_load_explicit(&e->options, memory_order_relaxed);
    if (found == 0 && !make) return NULL;
    if (found == 0 && atomic_compare_exchange_strong_explicit(&e->options, &found, key, memory_order_relaxed,
        memory_order_relaxed)) return e;
    if (found == key) return e;
  }
  return NULL;
}

static void copied(struct feedback *to, const struct feedback *from) {
  (void)from;
  struct entry *e = entry_of(to->options, true);
  if (e) atomic_store_explicit(&e->feedback, to, memory_order_release);
}

// Runs when the options, and with them the handler, are freed. New options with a handler of their own may already
// have the same address. Therefore the entry is cleared only if it still holds this handler.
static void disposed(struct feedback *f) {
  struct entry *e = entry_of(f->options, false);
  struct feedback *own = f;
  if (e) atomic_compare_exchange_strong_explicit(&e->feedback, &own, NULL, memory_order_relaxed, memory_order_relaxed);
}

static const struct {
  uintptr_t reserved, size;
  void (*copy)(struct feedback *, const struct feedback *);
  void (*dispose)(struct feedback *);
} descriptor = {0, sizeof(struct feedback), copied, disposed};

static uint64_t told_nanos(id feedback, const char *selector) {
  double (*method)(id, SEL) = (double (*)(id, SEL))mt_implementation(feedback, selector);
  double seconds = method ? method(feedback, mt_selector(selector)) : 0;
  return seconds > 0 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
}

// Decrements the number of commits in progress. If there was only one, copies the numbers of its command buffers,
// before another commit can overwrite them, and returns true.
static bool leave(struct feedback *f, uint32_t *count, uint32_t buffers[MOST_BUFFERS]) {
  uint32_t now = atomic_load_explicit(&f->under_way, memory_order_acquire), left;
  bool only = now == 1;
  *count = only ? f->count : 0;
  for (uint32_t i = 0; i < *count; i++) buffers[i] = f->buffers[i];
  do {
    if ((now & ~MIXED) == 0) return false; // the count is zero: this commit bypassed the hooks
    left = (now & ~MIXED) == 1 ? 0 : now - 1;
  } while (!atomic_compare_exchange_weak_explicit(&f->under_way, &now, left, memory_order_acq_rel,
      memory_order_acquire));
  return only;
}

static void told(struct feedback *f, id feedback) {
  uint32_t count, buffers[MOST_BUFFERS];
  bool only = leave(f, &count, buffers);
  struct thread *t = only ? mt_thread() : NULL;
  if (!t) return;
  int saved = errno;
  void *pool = mt_pool_push();
  uint64_t begin = mt_ticks(), start = told_nanos(feedback, "GPUStartTime"), end = told_nanos(feedback, "GPUEndTime");
  id error = mt_send_id(feedback, "error");
  uint64_t arg = error ? FEEDBACK_FAILED | mt_send_integer(error, "code") << 8 : FEEDBACK_COMPLETED;
  mt_pool_pop(pool);
  for (uint32_t i = 0; i < count; i++) {
    struct record records[2] = {
        {begin, mt_ticks(), arg, buffers[i], MT_CALL_tracer_completed,
            (uint16_t)(MT_FLAG_HAS_MORE | (error ? MT_FLAG_FAILED : 0))},
        {.begin = start, .end = end, .call = MT_CALL_tracer_more},
    };
    mt_thread_publish(t, records, 2);
    mt_progress(t, begin, 0);
  }
  if (mt_delayed(t)) mt_delay_handler(t);
  errno = saved;
}

static id (*initialize_options)(id, SEL);
static Class options_class; // MTL4CommitOptions; valid if initialize_options is not NULL

static id initialized_options(id self, SEL selector) {
  id options = initialize_options(self, selector);
  void (*add)(id, SEL, void *) = (void (*)(id, SEL, void *))mt_implementation(options, "addFeedbackHandler:");
  if (!add || atomic_load_explicit(&mt_state, memory_order_relaxed) != MT_ACTIVE) return options;
  int saved = errno;
  struct feedback f = {mt_blocks.stack, HAS_COPY_DISPOSE | HAS_DESCRIPTOR, 0, told, &descriptor, options, 0, 0, {0}};
  add(options, mt_selector("addFeedbackHandler:"), &f);
  errno = saved;
  return options;
}

static void watch_options(void) {
  Class class = objc_lookUpClass("MTL4CommitOptions");
  SEL selector = mt_selector("init");
  Method method = class && !initialize_options && mt_blocks.stack ? mt_method_find(class, selector, NULL) : NULL;
  if (!method) return;
  options_class = class;
  initialize_options = (id(*)(id, SEL))method_getImplementation(method);
  mt_method_put(class, method, (IMP)initialized_options);
}

// the method commit:count:options: of each hooked class of queues, indexed by the class's place in the table of
// classes; NULL when the class has none
static IMP commit_with_options[MT_CLASSES];

void mt_feedback_see(unsigned slot, Class class, unsigned family) {
  if (family == MT_FAMILY_mtl4Queue) commit_with_options[slot] = mt_original_of(class,
      mt_selector("commit:count:options:"));
  if (family == MT_FAMILY_device) watch_options();
}

void mt_feedback_begin(id options, const void *buffers, NSUInteger count) {
  struct entry *e = options && count ? entry_of(options, false) : NULL;
  struct feedback *f = e ? atomic_load_explicit(&e->feedback, memory_order_acquire) : NULL;
  if (!f) return;
  uint32_t now = 0;
  while (!atomic_compare_exchange_weak_explicit(&f->under_way, &now, now == 0 ? 1 : (now + 1) | MIXED,
      memory_order_acq_rel, memory_order_acquire)) {
  }
  if (now != 0) return;
  f->count = count < MOST_BUFFERS ? (uint32_t)count : MOST_BUFFERS;
  for (uint32_t i = 0; i < f->count; i++) f->buffers[i] = mt_identity_of(((const id *)buffers)[i]);
}

static void commit(id queue, SEL selector, const void *buffers, NSUInteger count) {
  (void)selector;
  const struct class_entry *class = mt_class_find(objc_class_of(queue), MT_FAMILY_mtl4Queue);
  void (*original)(id, SEL, const void *, NSUInteger, id) = (void (*)(id, SEL, const void *, NSUInteger,
      id))commit_with_options[mt_class_index(class)];
  id options = mt_send_id((id)options_class, "new");
  mt_feedback_begin(options, buffers, count);
  original(queue, mt_selector("commit:count:options:"), buffers, count, options);
  mt_send_id(options, "release");
}

mt_commit mt_feedback_commit(id queue, mt_commit original) {
  const struct class_entry *class = mt_class_find(objc_class_of(queue), MT_FAMILY_mtl4Queue);
  return class && commit_with_options[mt_class_index(class)] && initialize_options ? commit : original;
}
