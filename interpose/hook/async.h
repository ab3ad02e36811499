// Wraps the completion handlers to which Metal passes libraries and pipeline states that it compiled in the
// background. Without the wrapper the tracer would not see these objects and would record no call on them.
#ifndef MTRACE_ASYNC_H
#define MTRACE_ASYNC_H
#include "hook/objc.h"

// The tracer's block, which calls the program's block. It is created in the stack frame of the hooked call. Metal
// copies it, as it copies any block that it uses later.
struct async {
  void *isa;
  int flags, reserved;
  void (*invoke)(struct async *, id, id, id);
  const void *descriptor;
  void *handler; // the program's block, retained and released with the copies of this one
  uint64_t begin;
  uint32_t object;
  unsigned family;
};

// Fills *async with a block that calls the program's handler. Returns the block, or handler itself if handler is NULL
// or there is no blocks runtime.
void *mt_async_watch(struct async *async, void *handler, unsigned family, uint32_t object);
#endif
