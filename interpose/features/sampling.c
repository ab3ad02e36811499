// See sampling.h.
#include "features/sampling.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "features/completion.h"
#include "features/samplecheck.h"
#include "hook/classes.h"
#include "core/clock.h"
#include "hook/install.h"
#include "core/text.h"
#include "core/thread.h"

enum { BAD_IN_A_ROW = 64, ATTACHMENTS = 4 };

bool mt_sampling_on;

// The original methods that sampling calls, for each hooked class of command buffers, indexed by the class's place in
// the table of classes.
static struct sampling_methods {
  id (*device)(id, SEL);
  id (*make[MT_SAMPLED_KINDS])(id, SEL, id);
} sampling_methods[MT_CLASSES];

// What the function prepare has decided about the encoder that a thread is about to create, indexed by the thread.
static struct sampling {
  unsigned outcome; // MT_SAMPLING_*
  unsigned kind;
  id descriptor;
  struct mt_chunk *chunk;
  id (*make)(id, SEL, id);
} __attribute__((aligned(128))) about_to_make[MT_THREADS];

void mt_sampling_start(void) {
  const char *gpu_timing = getenv("MTRACE_GPU_TIMING");
  mt_sampling_on = gpu_timing && strcmp(gpu_timing, "encoder") == 0;
}

void mt_sampling_see_class(unsigned slot, Class class, unsigned family) {
  if (family != MT_FAMILY_commandBuffer || !mt_sampling_on) return;
  struct sampling_methods *methods = &sampling_methods[slot];
  methods->device = (id(*)(id, SEL))mt_original_of(class, mt_selector("device"));
  methods->make[MT_SAMPLED_COMPUTE] = (id(*)(id, SEL, id))mt_original_of(class,
      mt_selector("computeCommandEncoderWithDescriptor:"));
  methods->make[MT_SAMPLED_BLIT] = (id(*)(id, SEL, id))mt_original_of(class,
      mt_selector("blitCommandEncoderWithDescriptor:"));
}

static void warn(struct thread *t, const char *why) {
  char text[200];
  int n = snprintf(text, sizeof text, "GPU times of encoders are estimated: %s", why);
  mt_fact(t, MT_FACT_WARNING, 0, 0, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

void mt_sampling_see(struct thread *t, id object) {
  if (!mt_sampling_on || t->canary || mt_samples_device(object, false)) return;
  struct mt_sampled_device *device = mt_samples_device(object, true);
  if (!device || atomic_exchange(&device->seen, true)) return;
  const char *why = mt_samples_test(t, device, object);
  if (why) warn(t, why);
  atomic_store_explicit(&device->works, !why, memory_order_release);
}

// Returns true if the program's pass descriptor must stay, because it samples counters already, or its class has
// properties that the tracer's descriptor would lose.
static bool taken(id pass, id ours) {
  if (!pass || objc_class_of(pass) != objc_class_of(ours)) return true;
  void *pool = mt_pool_push();
  id attachments = mt_send_id(pass, "sampleBufferAttachments");
  id (*at)(id, SEL, NSUInteger) = (id(*)(id, SEL, NSUInteger))mt_implementation(attachments,
      "objectAtIndexedSubscript:");
  bool any = !at;
  for (NSUInteger i = 0; at && i < ATTACHMENTS; i++) any = any ||
      mt_send_id(at(attachments, mt_selector("objectAtIndexedSubscript:"), i), "sampleBuffer");
  mt_pool_pop(pool);
  return any;
}

// Decides whether the next encoder is sampled; if so, reserves space for its samples and prepares the pass descriptor
// that refers to that space.
static void prepare(struct thread *t, id command_buffer, uint32_t number, unsigned kind) {
  struct sampling *s = &about_to_make[t->index];
  *s = (struct sampling){.outcome = MT_SAMPLING_DEVICE, .kind = kind};
  const struct class_entry *class = mt_class_find(objc_class_of(command_buffer), MT_FAMILY_commandBuffer);
  const struct sampling_methods *methods = class ? &sampling_methods[mt_class_index(class)] : NULL;
  if (t->canary || !methods || !methods->device || !methods->make[kind] || !mt_completion_can_watch(class) ||
      !mt_blocks.global) return;
  struct mt_sampled_device *device = mt_samples_device(methods->device(command_buffer, mt_selector("device")), false);
  if (!device || !atomic_load_explicit(&device->works, memory_order_acquire)) return;
  s->chunk = mt_samples_take(device, command_buffer, number);
  if (!s->chunk) {
    s->outcome = MT_SAMPLING_FULL;
    return;
  }
  id *descriptor = &s->chunk->descriptors[kind][s->chunk->used];
  if (!*descriptor) *descriptor = mt_samples_descriptor(s->chunk, s->chunk->used, kind);
  if (!*descriptor) return;
  s->descriptor = *descriptor;
  s->make = methods->make[kind];
  s->outcome = MT_SAMPLING_MEASURED;
}

static void set_type(id descriptor, NSUInteger type) {
  static _Atomic(IMP) found; // one class has all of them
  IMP set = atomic_load_explicit(&found, memory_order_relaxed);
  if (!set) atomic_store_explicit(&found, set = mt_implementation(descriptor, "setDispatchType:"),
      memory_order_relaxed);
  if (set) ((void (*)(id, SEL, NSUInteger))set)(descriptor, mt_selector("setDispatchType:"), type);
}

// make and the functions below create a sampled encoder: a hook calls one of them instead of the original method.
// They pass the descriptor that prepare has stored for the calling thread.
static id make(id self, const char *name) {
  struct sampling *s = &about_to_make[mt_thread_get()->index];
  return s->make(self, mt_selector(name), s->descriptor);
}
static id make_compute(id self, SEL selector) {
  (void)selector;
  return make(self, "computeCommandEncoderWithDescriptor:");
}
static id make_compute_of_type(id self, SEL selector, NSUInteger type) {
  (void)type;
  return make_compute(self, selector);
}
static id make_blit(id self, SEL selector) {
  (void)selector;
  return make(self, "blitCommandEncoderWithDescriptor:");
}
static id make_of_pass(id self, SEL selector, id pass) {
  (void)pass;
  struct sampling *s = &about_to_make[mt_thread_get()->index];
  return s->make(self, selector, s->descriptor);
}

mt_make_encoder_of_type mt_sampling_compute_of_type(struct thread *t, id command_buffer, uint32_t number,
    NSUInteger type, mt_make_encoder_of_type original) {
  if (!mt_sampling_on) return original;
  prepare(t, command_buffer, number, MT_SAMPLED_COMPUTE);
  if (about_to_make[t->index].outcome != MT_SAMPLING_MEASURED) return original;
  set_type(about_to_make[t->index].descriptor, type);
  return make_compute_of_type;
}

mt_make_encoder mt_sampling_compute(struct thread *t, id command_buffer, uint32_t number, mt_make_encoder original) {
  enum { SERIAL = 0 }; // MTLDispatchType
  return mt_sampling_compute_of_type(t, command_buffer, number, SERIAL, NULL) ? make_compute : original;
}

mt_make_encoder mt_sampling_blit(struct thread *t, id command_buffer, uint32_t number, mt_make_encoder original) {
  if (!mt_sampling_on) return original;
  prepare(t, command_buffer, number, MT_SAMPLED_BLIT);
  return about_to_make[t->index].outcome == MT_SAMPLING_MEASURED ? make_blit : original;
}

mt_make_encoder_of_pass mt_sampling_pass(struct thread *t, id command_buffer, uint32_t number, unsigned kind, id pass,
    mt_make_encoder_of_pass original) {
  if (!mt_sampling_on) return original;
  prepare(t, command_buffer, number, kind);
  struct sampling *s = &about_to_make[t->index];
  if (s->outcome != MT_SAMPLING_MEASURED) return original;
  if (taken(pass, s->descriptor)) {
    s->outcome = MT_SAMPLING_TAKEN;
    return original;
  }
  if (kind == MT_SAMPLED_COMPUTE) set_type(s->descriptor, mt_send_integer(pass, "dispatchType"));
  return make_of_pass;
}

unsigned mt_sampling_made(struct thread *t, uint32_t encoder) {
  struct sampling *s = &about_to_make[t->index];
  if (!mt_sampling_on) return MT_SAMPLING_OFF;
  if (s->outcome == MT_SAMPLING_MEASURED && encoder) s->chunk->encoders[s->chunk->used++] = encoder;
  return s->outcome;
}

// Counts invalid samples of a device. After BAD_IN_A_ROW invalid samples without a valid one in between, the device
// is no longer sampled, and the user gets a warning.
static void judge_device(struct thread *t, struct mt_sampled_device *device, unsigned outcome) {
  if (outcome == MT_SAMPLING_MEASURED) {
    atomic_store_explicit(&device->bad, 0, memory_order_relaxed);
    return;
  }
  if (atomic_fetch_add_explicit(&device->bad, 1, memory_order_relaxed) + 1 == BAD_IN_A_ROW &&
      atomic_exchange(&device->works, false))
    warn(t, "too many of the GPU's counter samples in a row were invalid during the run");
}

void mt_sampling_completed(struct thread *t, const struct mt_completed *completed) {
  struct mt_chunk *chunk = mt_sampling_on ? mt_samples_end(completed->number) : NULL;
  if (!chunk) return;
  void *pool = mt_pool_push();
  mt_gpu_clock_renew(&chunk->device->clock, chunk->device->device);
  while (chunk) {
    const uint64_t *samples = chunk->used ? mt_samples_read(chunk) : NULL;
    for (uint32_t i = 0; i < chunk->used; i++) {
      static const uint64_t none[2];
      struct mt_gpu_interval measured;
      unsigned outcome = mt_sampling_check(chunk->device, samples ? samples + 2 * i : none,
          (struct mt_gpu_interval){completed->start, completed->end}, &measured);
      judge_device(t, chunk->device, outcome);
      struct record records[2] = {
          {.begin = completed->at, .end = mt_ticks(), .arg = outcome, .object = chunk->encoders[i],
              .call = MT_CALL_tracer_encoder_times, .flags = MT_FLAG_HAS_MORE},
          {.begin = measured.start, .end = measured.end, .call = MT_CALL_tracer_more},
      };
      mt_thread_publish(t, records, 2);
    }
    chunk = mt_samples_give(chunk);
  }
  mt_pool_pop(pool);
}
