// See feedback.h. The handler is a block that carries the numbers of the command buffers; Metal copies and frees it.
#include "feedback.h"
#include <errno.h>
#include "classes.h"
#include "clock.h"
#include "identity.h"
#include "install.h"
#include "thread.h"

enum { HAS_DESCRIPTOR = 1 << 29, COMPLETED = 4, FAILED_STATUS = 5, MOST_BUFFERS = 16 }; // MTLCommandBufferStatus

struct feedback {
  void *isa;
  int flags, reserved;
  void (*invoke)(struct feedback *, id);
  const void *descriptor;
  uint32_t count, buffers[MOST_BUFFERS];
};

static uint64_t nanos_of(id feedback, const char *selector) {
  double (*method)(id, SEL) = (double (*)(id, SEL))mt_implementation(feedback, selector);
  double seconds = method ? method(feedback, sel_registerName(selector)) : 0;
  return seconds > 0 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
}

static void told(struct feedback *f, id feedback) {
  struct thread *t = mt_thread();
  if (!t) return;
  int saved = errno;
  void *pool = mt_pool_push();
  uint64_t begin = mt_ticks(), start = nanos_of(feedback, "GPUStartTime"), end = nanos_of(feedback, "GPUEndTime");
  id error = mt_send_id(feedback, "error");
  uint64_t arg = error ? FAILED_STATUS | mt_send_integer(error, "code") << 8 : COMPLETED;
  mt_pool_pop(pool);
  for (uint32_t i = 0; i < f->count; i++) {
    struct record records[2] = {
        {begin, mt_ticks(), arg, f->buffers[i], MT_CALL_tracer_completed, (uint16_t)(MT_FLAG_HAS_MORE | (error ? MT_FLAG_FAILED : 0))},
        {.begin = start, .end = end, .call = MT_CALL_tracer_more},
    };
    mt_thread_publish(t, records, 2);
  }
  errno = saved;
}

static const struct {
  uintptr_t reserved, size;
} descriptor = {0, sizeof(struct feedback)};

static void commit(id queue, SEL selector, const void *buffers, NSUInteger count) {
  (void)selector;
  const struct class_entry *class = mt_class_find(objc_class_of(queue), MT_FAMILY_mtl4Queue);
  void (*original)(id, SEL, const void *, NSUInteger, id) = (void (*)(id, SEL, const void *, NSUInteger, id))class->commit_with_options;
  struct feedback f = {mt_blocks.stack, HAS_DESCRIPTOR, 0, told, &descriptor, 0, {0}};
  for (NSUInteger i = 0; i < count && i < MOST_BUFFERS; i++) f.buffers[f.count++] = mt_identity_of(((const id *)buffers)[i]);
  id options = mt_send_id((id)objc_lookUpClass("MTL4CommitOptions"), "new");
  void (*add)(id, SEL, void *) = (void (*)(id, SEL, void *))mt_implementation(options, "addFeedbackHandler:");
  if (add) add(options, sel_registerName("addFeedbackHandler:"), &f);
  original(queue, sel_registerName("commit:count:options:"), buffers, count, options);
  mt_send_id(options, "release");
}

mt_commit mt_feedback_commit(id queue, mt_commit original) {
  const struct class_entry *class = mt_class_find(objc_class_of(queue), MT_FAMILY_mtl4Queue);
  return class && class->commit_with_options && mt_blocks.stack && objc_lookUpClass("MTL4CommitOptions") ? commit : original;
}

IMP mt_feedback_resolve(Class class) { return mt_original_of(class, sel_registerName("commit:count:options:")); }
