// The classes seen so far. Rule: entries are only added, by one thread at a time, and readers need no lock: the class is stored
// with release after all else in its entry, and loaded with acquire.
#ifndef MTRACE_CLASSES_H
#define MTRACE_CLASSES_H
#include <stdatomic.h>
#include "completion.h"
#include "objc.h"
#include "sampling.h"

struct class_entry {
  _Atomic(Class) class; // NULL while the entry is free
  unsigned family;
  unsigned index; // of the class in records' flags; 0 when there are more classes than that field holds
  struct completion_methods completion; // of command buffers
  struct sampling_methods sampling;     // of command buffers
  IMP commit_with_options;              // of Metal 4 queues
  id (*base)(id, SEL); // baseObject of a wrapper: what it wraps; else NULL
};

// The entry of a class as a member of a family, or NULL when it was not seen.
const struct class_entry *mt_class_find(Class class, unsigned family);

// Makes sure that the methods of an object's class are hooked, before the object reaches the program.
struct thread;
void mt_class_see(struct thread *t, id object, unsigned family);

// The same of a class, of which no object is at hand.
void mt_class_see_class(struct thread *t, Class class, unsigned family);

// The object that a wrapper of the validation or capture layers wraps, or NULL. Calls may reach it past the wrapper.
id mt_wrapped_by(id object, unsigned family);
#endif
