// Objects that a handle may bring again. A shared event or texture gives handles away, and who has one asks a device
// for the object: Metal may make another one for the same memory, and then it is another object, or return the one that
// is there, which keeps its number.
//
// Rule: only what has given a handle away is kept here, from then until its dealloc, so that an address in here is one
// of a living object.
#ifndef MTRACE_SHARED_H
#define MTRACE_SHARED_H
#include <stdatomic.h>
#include "hook/objc.h"

struct thread;
extern _Atomic unsigned mt_shared_count;

// An object that has a number gives a handle away. What there is no room for is numbered anew when it comes again.
void mt_shared_note(id object, uint32_t number);

// The number of what a device returned for a handle, and which was given number just now: that, or the one that it had
// before.
uint32_t mt_shared_again(struct thread *t, unsigned family, id object, uint32_t number);

// An object is about to go.
void mt_shared_remove(id object);
static inline void mt_shared_forget(id object) {
  if (__builtin_expect(atomic_load_explicit(&mt_shared_count, memory_order_relaxed) != 0, 0)) mt_shared_remove(object);
}
#endif
