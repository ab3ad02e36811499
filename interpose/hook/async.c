// Wraps the program's completion handlers (async.h). How blocks are laid out, and what their flags mean, is taken from
// the Block Implementation Specification (clang.llvm.org/docs/Block-ABI-Apple.html). The Objective-C runtime relies on
// that layout.
#include "hook/async.h"
#include <errno.h>
#include "core/clock.h"
#include "hook/hooks.h"
#include "core/thread.h"

// Flags of blocks. HAS_DESCRIPTOR is the specification's "transitional marker": Apple's runtime ignores it, but
// GNUstep's copies a block only if it is set.
enum { HAS_COPY_DISPOSE = 1 << 25, HAS_DESCRIPTOR = 1 << 29, FIELD_IS_BLOCK = 7 };

struct block {
  void *isa;
  int flags, reserved;
  void (*invoke)(void *, id, id, id);
};

static void copy(struct async *to, const struct async *from) { mt_blocks.assign(&to->handler, from->handler,
    FIELD_IS_BLOCK); }
static void dispose(const struct async *async) { mt_blocks.dispose(async->handler, FIELD_IS_BLOCK); }

static const struct {
  uintptr_t reserved, size;
  void (*copy)(struct async *, const struct async *);
  void (*dispose)(const struct async *);
} descriptor = {0, sizeof(struct async), copy, dispose};

// Runs instead of the program's completion handler: records the new object, then calls the program's handler. Some
// handlers take two arguments, others three. Three are always passed: with the calling conventions of both
// processors, a function ignores a surplus argument.
static void ready(struct async *async, id object, id second, id third) {
  struct thread *t = mt_thread();
  if (t) {
    int saved = errno;
    t->made_inside_count = 0;
    struct record record = {async->begin, mt_ticks(), mt_made(t, async->family, object), async->object,
        MT_CALL_tracer_made, object ? 0 : MT_FLAG_FAILED};
    mt_thread_publish(t, &record, 1);
    errno = saved;
  }
  struct block *handler = async->handler;
  handler->invoke(handler, object, second, third);
}

void *mt_async_watch(struct async *async, void *handler, unsigned family, uint32_t object) {
  if (!handler || !mt_blocks.stack || !mt_blocks.assign || !mt_blocks.dispose) return handler;
  *async = (struct async){mt_blocks.stack, HAS_COPY_DISPOSE | HAS_DESCRIPTOR, 0, ready, &descriptor, handler,
      mt_ticks(), object, family};
  return async;
}
