// Objects that Metal passes to a completion handler of the program instead of returning them: libraries and pipeline
// states that are compiled in the background. The tracer wraps the handler; otherwise the objects, and all calls on
// them, would not be traced.
#ifndef MTRACE_ASYNC_H
#define MTRACE_ASYNC_H
#include "hook/objc.h"

// A block around the program's block. It is in the stack frame of the call at first; Metal copies it, as it copies any
// block it keeps.
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

// Creates the block around the handler. Returns it, or handler itself if handler is NULL or there is no blocks runtime.
void *mt_async_watch(struct async *async, void *handler, unsigned family, uint32_t object);
#endif
