// Makes known Metal calls and counts whether they are recorded (the self-check, canary.h). Rule: the self-check leaves
// nothing behind: every object is released, autoreleased objects are freed with the pool, and calls that Metal makes
// inside its calls are subtracted from the counters.
//
// Ordinary calls must not pay for a check whether they belong to the self-check. Therefore the thread's ring (its
// buffer of records in shared memory) is made to look full while the self-check runs. Every call then takes the slow
// path of span.c, and only that path tests t->canary.
#include "hook/canary.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/clock.h"
#include "hook/hooks.h"
#include "core/identity.h"
#include "core/text.h"
#include "waits/locks.h"

enum { COMMAND_BUFFERS = 4, BYTES = 64, MOST_OBJECTS = 128 };

static bool wanted;
static unsigned made[MT_CALL_COUNT];
static uint32_t numbers;
static const void *kept[MOST_OBJECTS];
static unsigned kept_count;

void mt_canary_start(void) {
  const char *asked = getenv("MTRACE_SELF_CHECK");
  wanted = asked && strcmp(asked, "1") == 0;
}

void mt_canary_keep(const void *object) {
  if (kept_count < MOST_OBJECTS) kept[kept_count++] = object;
}

uint32_t mt_canary_number(void) { return MT_CANARY_FIRST + numbers++ % (MT_TRACERS_OWN - MT_CANARY_FIRST); }

void mt_canary_seen(struct thread *t, unsigned call) {
  // Metal may release the buffer and the queue at any time.
  if (call == MT_CALL_resource_dealloc || call == MT_CALL_queue_dealloc) return;
  uint64_t now = mt_ticks(), look_again = t->look_again;
  bool flying = t->canary;
  t->canary = false;
  if (flying) t->look_again = t->head;
  struct record record = {.begin = now, .end = now, .arg = call, .call = MT_CALL_tracer_canary};
  mt_thread_publish(t, &record, 1);
  t->canary = flying;
  if (flying) t->look_again = look_again;
}

// Returns the implementation that such a message of the program would reach: the hook, if the method is hooked.
// Counts the call as made.
static IMP method(id object, unsigned call) {
  IMP found = mt_implementation(object, mt_selectors[call]);
  made[call] += found != NULL;
  return found;
}

#define SELECTOR(call) mt_selector(mt_selectors[call])

static id make(id object, unsigned call) {
  IMP found = method(object, call);
  return found ? ((id(*)(id, SEL))found)(object, SELECTOR(call)) : NULL;
}

static void tell(id object, unsigned call) {
  IMP found = method(object, call);
  if (found) ((void (*)(id, SEL))found)(object, SELECTOR(call));
}

static void work(id queue, id buffer) {
  id command_buffer = make(queue, MT_CALL_queue_commandBuffer);
  id encoder = make(command_buffer, MT_CALL_commandBuffer_computeCommandEncoder);
  tell(encoder, MT_CALL_encoder_endEncoding);
  encoder = make(command_buffer, MT_CALL_commandBuffer_blitCommandEncoder);
  IMP fill = !buffer ? NULL : method(encoder, MT_CALL_encoder_fillBuffer_range_value_);
  if (fill) ((void (*)(id, SEL, id, NSRange, uint8_t))fill)(encoder, SELECTOR(MT_CALL_encoder_fillBuffer_range_value_),
      buffer, (NSRange){0, BYTES}, 1);
  tell(encoder, MT_CALL_encoder_endEncoding);
  if (command_buffer) made[MT_CALL_tracer_completed]++;
  tell(command_buffer, MT_CALL_commandBuffer_commit);
  tell(command_buffer, MT_CALL_commandBuffer_waitUntilCompleted);
}

static void fly(id device) {
  id queue = make(device, MT_CALL_device_newCommandQueue);
  IMP allocate = method(device, MT_CALL_device_newBufferWithLength_options_);
  id buffer = allocate ? ((id(*)(id, SEL, NSUInteger, NSUInteger))allocate)(device,
      SELECTOR(MT_CALL_device_newBufferWithLength_options_), BYTES, 0) : NULL;
  for (int i = 0; queue && i < COMMAND_BUFFERS; i++) work(queue, buffer);
  mt_send_id(buffer, "release");
  mt_send_id(queue, "release");
}

void mt_canary_fly(struct thread *t, id device) {
  static _Atomic bool flown;
  if (!wanted || atomic_exchange(&flown, true)) return;
  int saved = errno;
  uint64_t nested[MT_NESTED_FAMILIES];
  for (int i = 0; i < MT_NESTED_FAMILIES; i++) nested[i] = atomic_load_explicit(&t->ring->nested[i],
      memory_order_relaxed);
  atomic_store(&mt_locks_left_out, true);
  t->canary = true;
  t->look_again = 0;
  void *pool = mt_pool_push();
  fly(device);
  mt_pool_pop(pool);
  while (kept_count > 0) mt_identity_retire(kept[--kept_count]);
  t->canary = false;
  t->look_again = t->head;
  atomic_store(&mt_locks_left_out, false);
  for (int i = 0; i < MT_NESTED_FAMILIES; i++) atomic_store_explicit(&t->ring->nested[i], nested[i],
      memory_order_relaxed);
  made[MT_CALL_queue_commitCommandBuffer_wake_] = made[MT_CALL_commandBuffer_commit];
  for (unsigned call = 0; call < MT_CALL_COUNT; call++)
    if (made[call]) mt_fact(t, MT_FACT_CANARY, made[call], call, "", 0);
  errno = saved;
}
