// The table of the classes seen so far. Rule: entries are only added, by one thread at a time, so readers need no
// lock. Memory order: the field class is stored with release after all other fields of its entry, and loaded with
// acquire; otherwise a reader could use an incomplete entry. The class of every new object is looked up here. The
// inlined first probe finds nearly all of them.
#ifndef MTRACE_CLASSES_H
#define MTRACE_CLASSES_H
#include <stdatomic.h>
#include "hook/objc.h"
#include "system/hidden.h"

struct class_entry {
  _Atomic(Class) class; // NULL while the entry is free
  unsigned family;
  unsigned index; // the class's index in the flags of records; 0 if there are more classes than the field can hold
  id (*base)(id, SEL); // baseObject of a wrapper, the object that it wraps; otherwise NULL
};

enum { MT_CLASSES = 1024 };
extern MT_HIDDEN struct class_entry mt_classes[MT_CLASSES]; // open addressing

// Returns the index at which features keep their data about this class, in arrays of MT_CLASSES elements. A feature
// writes that data in class_seen, before readers can find the entry (core/feature.h).
static inline unsigned mt_class_index(const struct class_entry *e) { return (unsigned)(e - mt_classes); }

static inline unsigned mt_class_slot(Class class, unsigned family) { return (unsigned)(((uintptr_t)class >> 4) * 31 +
    family) % MT_CLASSES; }

// Returns the entry of a class for a family (a kind of objects, such as queues), or NULL if no object of that class
// was seen yet.
const struct class_entry *mt_class_search(Class class, unsigned family);
static inline const struct class_entry *mt_class_find(Class class, unsigned family) {
  const struct class_entry *e = &mt_classes[mt_class_slot(class, family)];
  if (__builtin_expect(class && atomic_load_explicit(&e->class, memory_order_acquire) == class && e->family == family,
      1)) return e;
  return mt_class_search(class, family);
}

// Hooks the methods of a class unless that was done before. Returns the class's entry in the table of classes, or
// NULL when the table is full.
struct thread;
const struct class_entry *mt_class_hook(struct thread *t, Class class, unsigned family);

// Hooks the methods of an object's class unless that was done before. Call it before the program gets the object,
// otherwise its first calls are lost.
static inline const struct class_entry *mt_class_see(struct thread *t, id object, unsigned family) {
  Class class = objc_class_of(object);
  const struct class_entry *e = mt_class_find(class, family);
  return __builtin_expect(e != NULL, 1) ? e : mt_class_hook(t, class, family);
}

// Reports, when an object of the class appears, that the class is not hooked; once for each class.
void mt_class_missed(struct thread *t, Class class, unsigned family);

// Returns the object inside a wrapper of Metal's validation or capture layer, or NULL if object is no wrapper. The
// inner object must be hooked, too: calls may reach it without passing the wrapper.
id mt_wrapped_by(id object, unsigned family);
#endif
