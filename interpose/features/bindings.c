// See bindings.h.
#include "features/bindings.h"
#include <stdatomic.h>
#include "core/identity.h"

// The maximum number of resources that one encoder may bind: with more, the tracer drops the encoder's bindings. It is
// three quarters of the table, so that searches stay short and always end at a free entry.
enum { MOST_RESOURCES = 3 << (MT_TOUCHED_BITS - 2) };

struct bindings mt_bindings[MT_THREADS] __attribute__((aligned(128)));

void mt_bindings_open(struct thread *t) { mt_bindings[t->index].encoder = NULL; }

struct bindings *mt_bindings_wrapped(struct bindings *b, const void *encoder) {
  return mt_identity_known((id)encoder) == b->number ? b : NULL;
}

// Caches which bindings a function or a pipeline state may write: one bit for each binding, indexed by the object's
// number. The key is the number exclusive-or a hash of the bits. If two threads write an entry at once and a reader
// sees half of each, the key does not match. An object without an entry is assumed to write all its bindings.
enum { KNOWN_BITS = 10 };
static struct {
  _Atomic uint64_t key, writes;
} known[1 << KNOWN_BITS];

static uint64_t mixed_key(uint32_t number, uint64_t writes) { return number ^ writes * 0x9e3779b97f4a7c15ull; }

static void remember(uint32_t number, uint64_t writes) {
  size_t at = number & ((1 << KNOWN_BITS) - 1);
  atomic_store_explicit(&known[at].writes, writes, memory_order_relaxed);
  atomic_store_explicit(&known[at].key, mixed_key(number, writes), memory_order_relaxed);
}

static uint64_t remembered(uint32_t number) {
  size_t at = number & ((1 << KNOWN_BITS) - 1);
  uint64_t writes = atomic_load_explicit(&known[at].writes, memory_order_relaxed);
  uint64_t key = atomic_load_explicit(&known[at].key, memory_order_relaxed);
  return number && key == mixed_key(number, writes) ? writes : ~0ull;
}

// Returns the entry of a resource, created if necessary; NULL if the encoder uses too many resources.
static struct touched *touched_of(struct bindings *b, const void *resource) {
  size_t at = (size_t)(((uintptr_t)resource >> 4) * 0x9e3779b97f4a7c15ull >> (64 - MT_TOUCHED_BITS));
  for (;; at = (at + 1) & ((1 << MT_TOUCHED_BITS) - 1)) {
    struct touched *e = &b->touched[at];
    if (e->epoch == b->epoch && e->resource == resource) return e;
    if (e->epoch == b->epoch) continue;
    if (b->resources == MOST_RESOURCES) return NULL;
    b->resources++;
    *e = (struct touched){.resource = resource, .epoch = b->epoch};
    return e;
  }
}

void mt_bindings_dispatch(struct thread *t, const void *encoder, const void *indirect) {
  struct bindings *b = mt_bindings_of(t, encoder);
  if (!b) return;
  struct touched *used[MT_BOUND];
  unsigned count = 0;
  uint32_t level = 0;
  struct touched *sizes = indirect ? touched_of(b, indirect) : NULL;
  if (sizes) level = sizes->written;
  for (uint64_t left = b->mask; left; left &= left - 1) {
    unsigned place = (unsigned)__builtin_ctzll(left);
    struct touched *e = touched_of(b, b->bound[place]);
    if (!e) {
      b->encoder = NULL;
      return;
    }
    used[count++] = e;
    if (e->written > level) level = e->written;
    if (b->writes >> place & 1 && e->read > level) level = e->read;
  }
  // a kernel without bindings uses memory that the tracer does not see, so its dependencies are unknown: drop the
  // bindings of this encoder
  if (!count) {
    b->encoder = NULL;
    return;
  }
  level++;
  count = 0;
  for (uint64_t left = b->mask; left; left &= left - 1) {
    struct touched *e = used[count++];
    uint32_t *last = b->writes >> __builtin_ctzll(left) & 1 ? &e->written : &e->read;
    if (*last < level) *last = level;
  }
  if (sizes && sizes->read < level) sizes->read = level;
  b->dispatches++;
  if (level > b->chain) b->chain = level;
}

uint64_t mt_bindings_end(struct thread *t, const void *encoder) {
  struct bindings *b = mt_bindings_of(t, encoder);
  if (!b) return 0;
  b->encoder = NULL;
  return (uint64_t)b->dispatches << 32 | b->chain;
}

// Returns the bindings that a kernel may write, as a bit mask: first a bit for each buffer index, then from
// MT_BOUND_BUFFERS on one for each texture index. A bit is 0 only if the reflection says that the kernel just reads the
// binding. The constants are MTLBindingTypeBuffer, MTLBindingTypeTexture and MTLBindingAccessReadOnly.
static uint64_t writes_of(id reflection) {
  enum { BUFFER = 0, TEXTURE = 2, READ_ONLY = 0 };
  id list = mt_send_id(reflection, "bindings");
  if (!list) list = mt_send_id(reflection, "arguments"); // before macOS 13
  id (*at)(id, SEL, NSUInteger) = (id(*)(id, SEL, NSUInteger))mt_implementation(list, "objectAtIndex:");
  uint64_t writes = ~0ull, count = at ? mt_send_integer(list, "count") : 0;
  for (uint64_t i = 0; i < count; i++) {
    id binding = at(list, mt_selector("objectAtIndex:"), i);
    if (!mt_implementation(binding, "access") || mt_send_integer(binding, "access") != READ_ONLY) continue;
    uint64_t type = mt_send_integer(binding, "type"), place = mt_send_integer(binding, "index");
    if (type == TEXTURE)
      place += MT_BOUND_BUFFERS;
    else if (type != BUFFER || place >= MT_BOUND_BUFFERS)
      continue;
    if (place < MT_BOUND) writes &= ~(1ull << place);
  }
  return writes;
}

void mt_bindings_function(uint32_t number, id library, id name) {
  static const char selector[] = "reflectionForFunctionWithName:";
  id (*reflect)(id, SEL, id) = (id(*)(id, SEL, id))mt_implementation(library, selector);
  if (!reflect || !number) return;
  void *pool = mt_pool_push();
  remember(number, writes_of(reflect(library, mt_selector(selector), name)));
  mt_pool_pop(pool);
}

void mt_bindings_reflect(uint32_t number, id pipeline, const id *asked, id function) {
  if (!pipeline) return;
  void *pool = mt_pool_push();
  id reflection = asked && *asked ? *asked : mt_send_id(pipeline, "reflection");
  uint64_t writes = reflection ? writes_of(reflection) : remembered(mt_identity_of(function));
  mt_pool_pop(pool);
  if (number && writes != ~0ull) remember(number, writes);
}

void mt_bindings_pipeline(struct thread *t, const void *encoder, uint32_t number) {
  struct bindings *b = mt_bindings_of(t, encoder);
  if (b) b->writes = remembered(number);
}
