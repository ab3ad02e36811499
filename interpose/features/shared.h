// Keeps the numbers of objects that can be obtained again from a handle. A shared event or texture returns handles,
// and a process with a handle gets an object from a device. Metal then creates another object for the same memory, or
// returns the existing one. In both cases the object must have the same number as before, otherwise it appears in the
// report as two.
//
// Rule: the list holds only objects that have returned a handle, and only until their dealloc. So every address in it
// belongs to a live object.
#ifndef MTRACE_SHARED_H
#define MTRACE_SHARED_H
#include <stdatomic.h>
#include "hook/objc.h"

struct thread;
extern _Atomic unsigned mt_shared_count;

// Notes that the object with this number has returned a handle. If the list is full, the object is not noted, and
// gets a new number when the program obtains it again through the handle.
void mt_shared_note(id object, uint32_t number);

// Called when a device has opened a handle of a shared event or texture, which may return an object that the program
// already has. number is the number that the caller has just given to that object. Returns the object's earlier number
// if mt_shared_note noted it, otherwise number, so that one object does not get two numbers.
uint32_t mt_shared_again(struct thread *t, unsigned family, id object, uint32_t number);

// Called when an object is about to be freed: removes it from the list of objects that have returned a handle.
// Otherwise a new object at the same address could get the freed object's number. mt_shared_forget costs one load
// while the list is empty.
void mt_shared_remove(id object);
static inline void mt_shared_forget(id object) {
  if (__builtin_expect(atomic_load_explicit(&mt_shared_count, memory_order_relaxed) != 0, 0)) mt_shared_remove(object);
}
#endif
