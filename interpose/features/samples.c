// Allocates and assigns the storage for counter samples (GPU clock readings). samples.h has the rule and the memory
// order.
#include "features/samples.h"
#include <pthread.h>
#include "core/clock.h"
#include "core/identity.h"
#include "hook/install.h"
#include "system/own.h"

enum {
  MOST_DEVICES = 2,
  MOST_SAMPLE_BUFFERS = 4,
  SAMPLES = 4096, // 32 KB, the most
  CHUNKS_PER_BUFFER = SAMPLES / (2 * MT_ENCODERS_PER_CHUNK),
  CHUNKS = MOST_DEVICES * MOST_SAMPLE_BUFFERS * CHUNKS_PER_BUFFER,
  TABLE = 4096,
  MOST_PROBES = 16,
  TRY_AGAIN_NANOS = 100000000
};

static struct mt_sampled_device devices[MOST_DEVICES];
static struct mt_chunk chunks[CHUNKS];
static uint32_t chunk_count;
static pthread_mutex_t samples_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct in_flight {
  _Atomic uint32_t number, chunk; // a command buffer and its newest chunk
} table[TABLE];

struct mt_sampled_device *mt_samples_device(id device, bool make) {
  for (int i = 0; device && i < MOST_DEVICES; i++) {
    id found = atomic_load_explicit(&devices[i].device, memory_order_acquire);
    if (!found && make && atomic_compare_exchange_strong(&devices[i].device, &found, device)) return &devices[i];
    if (found == device) return &devices[i];
  }
  return NULL;
}

static void push(struct mt_sampled_device *device, struct mt_chunk *chunk) {
  uint64_t head = atomic_load_explicit(&device->free, memory_order_relaxed), fresh;
  do {
    atomic_store_explicit(&chunk->next, (uint32_t)head, memory_order_relaxed);
    fresh = ((head >> 32) + 1) << 32 | (uint64_t)(chunk - chunks + 1);
  } while (!atomic_compare_exchange_weak_explicit(&device->free, &head, fresh, memory_order_release,
      memory_order_relaxed));
}

static struct mt_chunk *pop(struct mt_sampled_device *device) {
  uint64_t head = atomic_load_explicit(&device->free, memory_order_acquire), fresh;
  struct mt_chunk *chunk;
  do {
    if (!(uint32_t)head) return NULL;
    chunk = &chunks[(uint32_t)head - 1];
    fresh = ((head >> 32) + 1) << 32 | atomic_load_explicit(&chunk->next, memory_order_relaxed);
  } while (!atomic_compare_exchange_weak_explicit(&device->free, &head, fresh, memory_order_acq_rel,
      memory_order_acquire));
  return chunk;
}

static struct in_flight *find(uint32_t number) {
  for (uint32_t i = 0; i < MOST_PROBES; i++) {
    struct in_flight *e = &table[(number + i) % TABLE];
    if (atomic_load_explicit(&e->number, memory_order_acquire) == number) return e;
  }
  return NULL;
}

static struct in_flight *insert(uint32_t number) {
  for (uint32_t i = 0; i < MOST_PROBES; i++) {
    struct in_flight *e = &table[(number + i) % TABLE];
    uint32_t none = 0;
    if (atomic_compare_exchange_strong_explicit(&e->number, &none, number, memory_order_acq_rel,
        memory_order_relaxed)) return e;
  }
  return NULL;
}

static id new_sample_buffer(id device) {
  void *pool = mt_pool_push();
  static const char make_selector[] = "newCounterSampleBufferWithDescriptor:error:";
  id buffer = NULL, set = NULL, descriptor = NULL, maker = device;
  id (*make)(id, SEL, id, id *) = (id(*)(id, SEL, id, id *))mt_original(&maker, make_selector);
  id (*counter_sets)(id, SEL) = (id(*)(id, SEL))mt_original(&device, "counterSets");
  Class class = objc_lookUpClass("MTLCounterSampleBufferDescriptor");
  id sets = make && counter_sets && class ? counter_sets(device, mt_selector("counterSets")) : NULL;
  id (*at)(id, SEL, NSUInteger) = (id(*)(id, SEL, NSUInteger))mt_implementation(sets, "objectAtIndex:");
  for (NSUInteger i = 0, n = mt_send_integer(sets, "count"); at && !set && i < n; i++) {
    id candidate = at(sets, mt_selector("objectAtIndex:"), i);
    const char *name = (const char *)mt_send_integer(mt_send_id(candidate, "name"), "UTF8String");
    if (name && __builtin_strcmp(name, "timestamp") == 0) set = candidate; // MTLCommonCounterSetTimestamp
  }
  if (set && (descriptor = mt_send_id((id)class, "new"))) {
    void (*set_set)(id, SEL, id) = (void (*)(id, SEL, id))mt_implementation(descriptor, "setCounterSet:");
    void (*set_count)(id, SEL, NSUInteger) = (void (*)(id, SEL, NSUInteger))mt_implementation(descriptor,
        "setSampleCount:");
    void (*set_storage)(id, SEL, NSUInteger) = (void (*)(id, SEL, NSUInteger))mt_implementation(descriptor,
        "setStorageMode:");
    if (set_set && set_count && set_storage) {
      set_set(descriptor, mt_selector("setCounterSet:"), set);
      set_count(descriptor, mt_selector("setSampleCount:"), SAMPLES);
      set_storage(descriptor, mt_selector("setStorageMode:"), 0); // shared: the processor reads the samples
      id error = NULL;
      buffer = make(maker, mt_selector(make_selector), descriptor, &error);
    }
    mt_send_id(descriptor, "release");
  }
  mt_pool_pop(pool);
  return buffer;
}

// Frees the chunks of command buffers that the program freed without committing them: they never complete. Such a
// command buffer is recognized when another object has taken its address, so that the address has another number.
static void sweep(struct mt_sampled_device *device) {
  for (uint32_t i = 0; i < chunk_count; i++) {
    struct mt_chunk *chunk = &chunks[i];
    uint32_t number = atomic_load_explicit(&chunk->number, memory_order_acquire);
    if (!number || chunk->device != device || mt_identity_of(atomic_load_explicit(&chunk->command_buffer,
        memory_order_relaxed)) == number) continue;
    for (struct mt_chunk *dead = mt_samples_end(number); dead;) dead = mt_samples_give(dead);
  }
}

// Called when no chunk is free: reclaims the chunks of dropped command buffers, or allocates another sample buffer.
// Returns NULL if neither is possible. Both are slow, so after a failure they are not tried again for
// TRY_AGAIN_NANOS.
static struct mt_chunk *find_more(struct mt_sampled_device *device) {
  mt_own_lock(&samples_mutex);
  struct mt_chunk *chunk = pop(device);
  if (!chunk && mt_nanos() >= device->next_try) {
    if (device->sample_buffers > 0) sweep(device);
    chunk = pop(device);
    id buffer = chunk || device->sample_buffers == MOST_SAMPLE_BUFFERS ? NULL : new_sample_buffer(device->device);
    for (uint32_t i = 0; buffer && i < CHUNKS_PER_BUFFER; i++) {
      struct mt_chunk *fresh = &chunks[chunk_count++];
      fresh->device = device;
      fresh->buffer = buffer;
      fresh->first = (NSUInteger)(CHUNKS_PER_BUFFER - 1 - i) * 2 * MT_ENCODERS_PER_CHUNK;
      push(device, fresh);
    }
    device->sample_buffers += buffer != NULL;
    if (!chunk) chunk = pop(device);
    if (!chunk) device->next_try = mt_nanos() + TRY_AGAIN_NANOS;
  }
  mt_own_unlock(&samples_mutex);
  return chunk;
}

struct mt_chunk *mt_samples_take(struct mt_sampled_device *device, id command_buffer, uint32_t number) {
  struct in_flight *e = find(number);
  uint32_t newest = e ? atomic_load_explicit(&e->chunk, memory_order_acquire) : 0;
  if (newest && chunks[newest - 1].used < MT_ENCODERS_PER_CHUNK) return &chunks[newest - 1];
  struct mt_chunk *chunk = pop(device);
  if (!chunk) chunk = find_more(device);
  if (!chunk) return NULL;
  if (!e) e = insert(number);
  if (!e) {
    push(device, chunk);
    return NULL;
  }
  chunk->used = 0;
  atomic_store_explicit(&chunk->command_buffer, command_buffer, memory_order_relaxed);
  atomic_store_explicit(&chunk->next, newest, memory_order_relaxed);
  atomic_store_explicit(&chunk->number, number, memory_order_release);
  atomic_store_explicit(&e->chunk, (uint32_t)(chunk - chunks) + 1, memory_order_release);
  return chunk;
}

struct mt_chunk *mt_samples_end(uint32_t number) {
  struct in_flight *e = number ? find(number) : NULL;
  if (!e) return NULL;
  uint32_t chunk = atomic_exchange_explicit(&e->chunk, 0, memory_order_acq_rel);
  atomic_store_explicit(&e->number, 0, memory_order_release);
  return chunk ? &chunks[chunk - 1] : NULL;
}

struct mt_chunk *mt_samples_give(struct mt_chunk *chunk) {
  uint32_t next = atomic_load_explicit(&chunk->next, memory_order_relaxed);
  atomic_store_explicit(&chunk->number, 0, memory_order_relaxed);
  push(chunk->device, chunk);
  return next ? &chunks[next - 1] : NULL;
}

id mt_samples_descriptor(const struct mt_chunk *chunk, unsigned place, unsigned kind) {
  static const char *const classes[] = {"MTLComputePassDescriptor", "MTLBlitPassDescriptor"};
  void *pool = mt_pool_push();
  id descriptor = mt_send_id((id)objc_lookUpClass(classes[kind]), "new"), attachments = mt_send_id(descriptor,
      "sampleBufferAttachments");
  id (*at)(id, SEL, NSUInteger) = (id(*)(id, SEL, NSUInteger))mt_implementation(attachments,
      "objectAtIndexedSubscript:");
  id attachment = at ? at(attachments, mt_selector("objectAtIndexedSubscript:"), 0) : NULL;
  void (*set_buffer)(id, SEL, id) = (void (*)(id, SEL, id))mt_implementation(attachment, "setSampleBuffer:");
  void (*set_start)(id, SEL, NSUInteger) = (void (*)(id, SEL, NSUInteger))mt_implementation(attachment,
      "setStartOfEncoderSampleIndex:");
  void (*set_end)(id, SEL, NSUInteger) = (void (*)(id, SEL, NSUInteger))mt_implementation(attachment,
      "setEndOfEncoderSampleIndex:");
  if (set_buffer && set_start && set_end) {
    set_buffer(attachment, mt_selector("setSampleBuffer:"), chunk->buffer);
    set_start(attachment, mt_selector("setStartOfEncoderSampleIndex:"), chunk->first + 2 * place);
    set_end(attachment, mt_selector("setEndOfEncoderSampleIndex:"), chunk->first + 2 * place + 1);
  } else if (descriptor) {
    mt_send_id(descriptor, "release");
    descriptor = NULL;
  }
  mt_pool_pop(pool);
  return descriptor;
}

const uint64_t *mt_samples_read(const struct mt_chunk *chunk) {
  static const char selector[] = "resolveCounterRange:";
  id (*resolve)(id, SEL, NSRange) = (id(*)(id, SEL, NSRange))mt_implementation(chunk->buffer, selector);
  NSRange range = {chunk->first, 2 * chunk->used};
  id data = resolve ? resolve(chunk->buffer, mt_selector(selector), range) : NULL;
  if (mt_send_integer(data, "length") < range.length * sizeof(uint64_t)) return NULL;
  return (const uint64_t *)mt_send_integer(data, "bytes");
}
