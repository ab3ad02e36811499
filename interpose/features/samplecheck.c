// Self-test of a device's counter samples, with a command buffer of the tracer that has known encoders. The samples
// must exist, be in order, and lie inside the command buffer's time on the GPU; otherwise the device is not used for
// --gpu-timing encoder.
//
// Rule: the test leaves nothing in the trace and no memory allocated. Its calls bypass the hooks, or count as inner
// calls that are subtracted from the counters again. Its command buffer has the number MT_TRACERS_OWN, which the
// counts of command buffers ignore. It fills a buffer in three blit encoders, because that needs no kernel and no
// compiler. It waits no longer than necessary, because a thread of the program waits with it.
#include <time.h>
#include "core/clock.h"
#include "core/identity.h"
#include "hook/install.h"
#include "features/aside.h"
#include "features/samplecheck.h"
#include "core/thread.h"
#include "system/own.h"

enum { ENCODERS = 3, BYTES = 1 << 16, PRIVATE = 2 << 4, COMPLETED = 4, LONGEST_NANOS = 2000000000, STEP_NANOS = 50000 };

enum { TOLERANCE_NANOS = 50000 };
static const uint64_t error_value = UINT64_MAX; // MTLCounterErrorValue

unsigned mt_sampling_check(const struct mt_sampled_device *device, const uint64_t samples[2],
    struct mt_gpu_interval within, struct mt_gpu_interval *measured) {
  *measured = (struct mt_gpu_interval){0, 0};
  for (int i = 0; i < 2; i++)
    if (samples[i] == 0 || samples[i] == error_value) return MT_SAMPLING_MISSING;
  uint64_t start = mt_gpu_clock_nanos(&device->clock, samples[0]), end = mt_gpu_clock_nanos(&device->clock, samples[1]);
  if (start == 0 || within.start == 0 || samples[1] < samples[0] || end < start || start +
      TOLERANCE_NANOS < within.start || end > within.end + TOLERANCE_NANOS ||
      start > within.end + TOLERANCE_NANOS)
    return MT_SAMPLING_WRONG;
  start = start < within.start ? within.start : start > within.end ? within.end : start;
  end = end > within.end ? within.end : end < start ? start : end;
  *measured = (struct mt_gpu_interval){start, end};
  return MT_SAMPLING_MEASURED;
}

static id send(id object, const char *selector) {
  id (*method)(id, SEL) = (id(*)(id, SEL))mt_original(&object, selector);
  return method ? method(object, mt_selector(selector)) : NULL;
}

static uint64_t nanos(id object, const char *selector) {
  double (*method)(id, SEL) = (double (*)(id, SEL))mt_original(&object, selector);
  double seconds = method ? method(object, mt_selector(selector)) : 0;
  return seconds > 0 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
}

static bool encode(id command_buffer, struct mt_chunk *chunk, id buffer) {
  static const char make_selector[] = "blitCommandEncoderWithDescriptor:", fill_selector[] = "fillBuffer:range:value:";
  id (*make)(id, SEL, id) = (id(*)(id, SEL, id))mt_original(&command_buffer, make_selector);
  for (uint32_t i = 0; make && i < ENCODERS; i++) {
    id *descriptor = &chunk->descriptors[MT_SAMPLED_BLIT][i];
    if (!*descriptor) *descriptor = mt_samples_descriptor(chunk, i, MT_SAMPLED_BLIT);
    if (!*descriptor) return false;
    id encoder = make(command_buffer, mt_selector(make_selector), *descriptor);
    id filler = encoder;
    void (*fill)(id, SEL, id, NSRange, uint8_t) = (void (*)(id, SEL, id, NSRange, uint8_t))mt_original(&filler,
        fill_selector);
    if (fill) fill(filler, mt_selector(fill_selector), buffer, (NSRange){0, BYTES}, (uint8_t)i);
    send(encoder, "endEncoding");
    if (!fill) return false;
    chunk->used++;
  }
  return make;
}

static bool wait_for(id command_buffer) {
  uint64_t (*status)(id, SEL) = (uint64_t(*)(id, SEL))mt_original(&command_buffer, "status");
  for (uint64_t give_up = mt_nanos() + LONGEST_NANOS; status &&
      mt_nanos() < give_up; mt_own_nanosleep(&(struct timespec){0, STEP_NANOS}, NULL)) {
    uint64_t now = status(command_buffer, mt_selector("status"));
    if (now >= COMPLETED) return now == COMPLETED;
  }
  return false;
}

static const char *judge(struct mt_sampled_device *device, id object, id command_buffer, const struct mt_chunk *chunk) {
  const uint64_t *samples = mt_samples_read(chunk);
  if (!samples) return "the device's counter samples cannot be read";
  struct mt_gpu_interval within = {nanos(command_buffer, "GPUStartTime"), nanos(command_buffer, "GPUEndTime")},
      before = within, measured;
  mt_gpu_clock_renew(&device->clock, object);
  for (int i = 0; i < ENCODERS; i++) {
    switch (mt_sampling_check(device, samples + 2 * i, within, &measured)) {
    case MT_SAMPLING_MISSING: return "the self-test found no values in the device's counter samples";
    case MT_SAMPLING_WRONG: return "the self-test found counter samples outside of their command buffer's time";
    }
    if (i > 0 && measured.start < before.end) return "the self-test found counter samples out of order";
    before = measured;
  }
  return NULL;
}

static const char *run(struct mt_sampled_device *device, id object) {
  enum { STAGE_BOUNDARY = 0 };
  static const char supports_selector[] = "supportsCounterSampling:",
      buffer_selector[] = "newBufferWithLength:options:";
  id asked = object, maker = object;
  BOOL (*supports)(id, SEL, NSUInteger) = (BOOL(*)(id, SEL, NSUInteger))mt_original(&asked, supports_selector);
  if (!supports || !supports(asked, mt_selector(supports_selector),
      STAGE_BOUNDARY)) return "the device does not sample counters at the boundaries of encoders";
  if (!mt_gpu_clock_start(&device->clock, object)) return "the device does not report the time of its own clock";
  id queue = send(object, "newCommandQueue"), command_buffer = send(queue, "commandBuffer");
  mt_identity_alias(command_buffer, MT_TRACERS_OWN);
  struct mt_chunk *chunk = command_buffer ? mt_samples_take(device, command_buffer, MT_TRACERS_OWN) : NULL;
  id (*make_buffer)(id, SEL, NSUInteger, NSUInteger) = (id(*)(id, SEL, NSUInteger, NSUInteger))mt_original(&maker,
      buffer_selector);
  id buffer = make_buffer ? make_buffer(maker, mt_selector(buffer_selector), BYTES, PRIVATE) : NULL;
  const char *why = "the device has no space for counter samples: it cannot allocate a buffer for them";
  if (chunk && buffer) {
    why = "the self-test could not be encoded";
    if (encode(command_buffer, chunk, buffer)) {
      send(command_buffer, "commit");
      why = wait_for(command_buffer) ? judge(device, object, command_buffer, chunk) : "the self-test did not complete";
    }
  }
  for (struct mt_chunk *own = mt_samples_end(MT_TRACERS_OWN); own;) own = mt_samples_give(own);
  mt_identity_retire(command_buffer);
  send(buffer, "release");
  send(queue, "release");
  return why;
}

const char *mt_samples_test(struct thread *t, struct mt_sampled_device *device, id object) {
  struct mt_aside aside;
  mt_aside_begin(t, &aside);
  void *pool = mt_pool_push();
  const char *why = run(device, object);
  mt_pool_pop(pool);
  mt_aside_end(t, &aside);
  return why;
}
