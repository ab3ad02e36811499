// The classes seen so far. Rule: entries are only added, by one thread at a time, and readers need no lock: the class
// is stored with release after all other fields of its entry, and loaded with acquire. Every new object's class is
// looked up here; nearly all are found at the first probe, which is inlined.
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

// The index at which a feature keeps its data about an entry's class, in an array of MT_CLASSES elements. The feature
// writes it in class_seen, before readers can find the entry (core/feature.h).
static inline unsigned mt_class_index(const struct class_entry *e) { return (unsigned)(e - mt_classes); }

static inline unsigned mt_class_slot(Class class, unsigned family) { return (unsigned)(((uintptr_t)class >> 4) * 31 +
    family) % MT_CLASSES; }

// Returns the entry of a class as a member of a family, or NULL if the class was not seen yet.
const struct class_entry *mt_class_search(Class class, unsigned family);
static inline const struct class_entry *mt_class_find(Class class, unsigned family) {
  const struct class_entry *e = &mt_classes[mt_class_slot(class, family)];
  if (__builtin_expect(class && atomic_load_explicit(&e->class, memory_order_acquire) == class && e->family == family,
      1)) return e;
  return mt_class_search(class, family);
}

// Ensures that the methods of a class are hooked. Returns its entry, or NULL when the table is full.
struct thread;
const struct class_entry *mt_class_hook(struct thread *t, Class class, unsigned family);

// Ensures that the methods of an object's class are hooked, before the program gets the object.
static inline const struct class_entry *mt_class_see(struct thread *t, id object, unsigned family) {
  Class class = objc_class_of(object);
  const struct class_entry *e = mt_class_find(class, family);
  return __builtin_expect(e != NULL, 1) ? e : mt_class_hook(t, class, family);
}

// Reports, the first time, that an object of a class without hooks appeared.
void mt_class_missed(struct thread *t, Class class, unsigned family);

// Returns the object that a wrapper of the validation or capture layer wraps, or NULL. Calls may reach that object
// without passing the wrapper.
id mt_wrapped_by(id object, unsigned family);
#endif
