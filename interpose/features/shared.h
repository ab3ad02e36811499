// Objects that can be obtained again from a handle. A shared event or texture returns handles, and a process with a
// handle gets an object from a device: Metal creates another object for the same memory, or returns the existing
// object, which must keep its number.
//
// Rule: the list holds only objects that have returned a handle, until their dealloc, so every address in it belongs to
// a live object.
#ifndef MTRACE_SHARED_H
#define MTRACE_SHARED_H
#include <stdatomic.h>
#include "hook/objc.h"

struct thread;
extern _Atomic unsigned mt_shared_count;

// Notes that a numbered object has returned a handle. If the list is full, the object gets a new number when it is
// obtained again.
void mt_shared_note(id object, uint32_t number);

// Returns the number of an object that a device returned for a handle: the object's earlier number, or else number,
// which it was just given.
uint32_t mt_shared_again(struct thread *t, unsigned family, id object, uint32_t number);

// An object is about to be freed.
void mt_shared_remove(id object);
static inline void mt_shared_forget(id object) {
  if (__builtin_expect(atomic_load_explicit(&mt_shared_count, memory_order_relaxed) != 0, 0)) mt_shared_remove(object);
}
#endif
