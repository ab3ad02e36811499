// Records each command buffer's GPU times in a completion handler. Rule: the handler runs before the threads that wait
// for the command buffer wake up, so its cost delays the program. It only reads the clock once and six values, and
// writes two records directly into the thread's ring (its buffer of records). The handler is one static global block,
// which retains nothing and is never copied. For a failed command buffer it also reads the error's code and
// description.
#include "features/completion.h"
#include <errno.h>
#include "core/feature.h"
#include "hook/canary.h"
#include "hook/classes.h"
#include "hook/coverage.h"
#include "core/clock.h"
#include "core/delay.h"
#include "core/identity.h"
#include "hook/install.h"
#include "core/text.h"
#include "hook/string.h"

struct completion_methods {
  void (*add_handler)(id, SEL, void *);
  uint64_t (*status)(id, SEL);
  double (*times[4])(id, SEL); // GPUStartTime, GPUEndTime, kernelStartTime, kernelEndTime
  id (*error)(id, SEL);
  id (*device)(id, SEL);
};
static struct completion_methods methods_of[MT_CLASSES]; // by the slot of a class of command buffers

// The functions of all features that are called at a completion. They are collected once, so that the handler does
// not search the table of features each time.
enum { MOST_TOLD = 8 };
static void (*told_of_completion[MOST_TOLD + 1])(struct thread *t, const struct mt_completed *completed);

enum { COMMITTED = 2, FAILED_STATUS = 5 }; // MTLCommandBufferStatus
// times below this number of seconds fit into a signed 64-bit word as nanoseconds; x86-64 converts to such a word
// with one instruction
static const double latest_seconds = 9e9;

enum { METHODS = 8 };
static SEL names[METHODS];
static const char *const selectors[METHODS] = {"addCompletedHandler:", "status", "GPUStartTime", "GPUEndTime",
    "kernelStartTime", "kernelEndTime", "error", "device"};

static void resolve(struct completion_methods *methods, Class class) {
  IMP found[METHODS];
  for (int i = 0; i < METHODS; i++) {
    // look the selector up again if it was missing: the runtime knows it only once the driver is loaded
    if (!names[i]) names[i] = mt_selector(selectors[i]);
    found[i] = mt_original_of(class, names[i]);
  }
  methods->add_handler = (void (*)(id, SEL, void *))found[0];
  methods->status = (uint64_t(*)(id, SEL))found[1];
  for (int i = 0; i < 4; i++) methods->times[i] = (double (*)(id, SEL))found[2 + i];
  methods->error = (id(*)(id, SEL))found[6];
  methods->device = (id(*)(id, SEL))found[7];
}

void mt_completion_see(unsigned slot, Class class, unsigned family) {
  if (family == MT_FAMILY_commandBuffer) resolve(&methods_of[slot], class);
}

bool mt_completion_can_watch(const struct class_entry *class) {
    return methods_of[mt_class_index(class)].add_handler != NULL; }

id mt_completed_device(const struct mt_completed *c) { return c->methods->device ? c->methods->device(c->command_buffer,
    names[7]) : NULL; }

static uint64_t nanos_of(const struct completion_methods *methods, id command_buffer, int which) {
  double seconds = methods->times[which] ? methods->times[which](command_buffer, names[2 + which]) : 0;
  return seconds > 0 && seconds < latest_seconds ? (uint64_t)(int64_t)(seconds * 1e9 + 0.5) : 0;
}

static void completed(void *block, id command_buffer) {
  (void)block;
  struct thread *t = mt_thread();
  if (!t) return;
  int saved = errno;
  mt_audits[t->index].handled++;
  uint32_t number = mt_identity_of(command_buffer);
  if (mt_canary_has(number)) {
    mt_canary_seen(t, MT_CALL_tracer_completed);
    errno = saved;
    return;
  }
  uint64_t begin = mt_ticks();
  const struct class_entry *class = mt_class_find(objc_class_of(command_buffer), MT_FAMILY_commandBuffer);
  const struct class_entry *timed = class;
  // A wrapper may have no methods for its times; then they are read from the command buffer inside it.
  id inner = class && !methods_of[mt_class_index(class)].times[0] ? mt_wrapped_by(command_buffer,
      MT_FAMILY_commandBuffer) : NULL;
  if (inner) timed = mt_class_find(objc_class_of(command_buffer = inner), MT_FAMILY_commandBuffer);
  struct completion_methods looked_up;
  const struct completion_methods *methods = timed ? &methods_of[mt_class_index(timed)] : &looked_up;
  if (!timed) resolve(&looked_up, objc_class_of(command_buffer)); // the inner object of a wrapper
  uint64_t times[4], arg = methods->status ? methods->status(command_buffer, names[1]) : 0;
  for (int i = 0; i < 4; i++) times[i] = nanos_of(methods, command_buffer, i);
  uint64_t words = 0;
  if (arg == FAILED_STATUS && methods->error) {
    void *pool = mt_pool_push();
    id error = methods->error(command_buffer, names[6]);
    arg |= mt_send_integer(error, "code") << 8;
    words = mt_text_of(t, mt_send_id(error, "localizedDescription"));
    mt_pool_pop(pool);
  }
  unsigned flags = (class ? class->index << MT_FLAG_CLASS_SHIFT : 0) | MT_FLAG_HAS_MORE | (
      (arg & 0xff) == FAILED_STATUS ? MT_FLAG_FAILED : 0);
  struct mt_completed all = {number, begin, times[0], times[1], command_buffer, methods};
  for (int i = 0; told_of_completion[i]; i++) told_of_completion[i](t, &all);
  if (mt_thread_begin(t, 2)) {
    struct ring *ring = t->ring;
    uint64_t head = t->head;
    mt_record_put(mt_ring_slot(ring, head), begin, begin, arg, mt_record_rest(number, MT_CALL_tracer_completed, flags));
    mt_record_put(mt_ring_slot(ring, head + 1), times[0], times[1], times[2],
        mt_record_rest(times[3] > times[2] ? (uint32_t)(times[3] - times[2]) : 0, MT_CALL_tracer_more, 0));
    mt_thread_move_head(t, ring, head + 2);
    mt_thread_wake();
  }
  if (words) {
    struct record failed = {.begin = begin, .end = begin, .arg = words, .object = number,
        .call = MT_CALL_tracer_failed};
    mt_thread_publish(t, &failed, 1);
  }
  mt_progress(t, begin, 0);
  if (mt_delayed(t)) mt_delay_handler(t);
  errno = saved;
}

// The handler's block and the block's descriptor, laid out by hand as compilers do it (Block Implementation
// Specification, clang.llvm.org/docs/Block-ABI-Apple.html). Metal reads them by this layout.
static struct {
  uintptr_t reserved, size;
} handler_descriptor = {0, 32};
static struct {
  void *isa;
  int flags, reserved;
  void (*invoke)(void *, id);
  void *descriptor;
} handler = {NULL, 1 << 28, 0, completed, &handler_descriptor}; // 1 << 28: a global block

void mt_completion_start(void) {
  handler.isa = mt_blocks.global;
  for (int i = 0; i < METHODS; i++) names[i] = mt_selector(selectors[i]);
  unsigned told = 0;
  for (unsigned i = 0; i < mt_feature_count && told < MOST_TOLD; i++)
    if (mt_features[i].completed) told_of_completion[told++] = mt_features[i].completed;
}

static void warn_once(struct thread *t) {
  static const char text[] =
      "GPU times are not recorded: the process has no runtime for blocks, or no addCompletedHandler:";
  static _Atomic bool warned;
  if (!atomic_exchange(&warned, true)) mt_fact(t, MT_FACT_WARNING, 0, 0, text, sizeof text - 1);
}

void mt_completion_watch(struct thread *t, id command_buffer) {
  const struct class_entry *class = mt_class_find(objc_class_of(command_buffer), MT_FAMILY_commandBuffer);
  const struct completion_methods *methods = class ? &methods_of[mt_class_index(class)] : NULL;
  if (!methods || !handler.isa || !methods->add_handler) {
    warn_once(t);
    return;
  }
  // The status is already at least COMMITTED: the program commits this command buffer a second time, which is a
  // mistake. Add no handler: Metal must report the program's mistake, not a handler that the tracer adds too late.
  if (methods->status && methods->status(command_buffer, names[1]) >= COMMITTED) return;
  methods->add_handler(command_buffer, names[0], &handler);
}
