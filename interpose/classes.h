// The classes seen so far. Rule: entries are only added, by one thread at a time, and readers need no lock: the class is stored
// with release after all else in its entry, and loaded with acquire.
#ifndef MTRACE_CLASSES_H
#define MTRACE_CLASSES_H
#include <stdatomic.h>
#include "completion.h"
#include "objc.h"

struct class_entry {
  _Atomic(Class) class; // NULL while the entry is free
  unsigned family;
  unsigned index; // of the class in records' flags; 0 when there are more classes than that field holds
  struct completion_methods completion; // of command buffers
};

// The entry of a class as a member of a family, or NULL when it was not seen.
const struct class_entry *mt_class_find(Class class, unsigned family);

// Makes sure that a class's methods are hooked, before the object that brought it reaches the program.
struct thread;
void mt_class_see(struct thread *t, Class class, unsigned family);
#endif
