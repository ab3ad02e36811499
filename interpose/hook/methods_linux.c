// Linux: GCC's runtime finds methods in a table per class, which threads read without a lock. Its class_addMethod
// replaces that table and the tables of all classes below. It does not wait for readers: the runtime counts its
// threads, but not those made by pthreads. If it counts one thread, it frees the old memory at once; otherwise it
// reuses the first words for a list, so objc_thread_add() does not help. In both cases a thread that was interrupted
// after reading the table's address then reads freed or changed memory.
//
// Rule: a table in use is changed in place, word by word, as the runtime itself does when it replaces a method, and
// nothing is freed. Hooking an inherited method adds an element at the head of the class's list of methods. If the
// class's table shares a bucket with its ancestor's, the class gets a bucket of its own. Each hooked method therefore
// takes at most one bucket (264 bytes) and one list (40 bytes) of memory for good.
//
// Memory order: the content of a new bucket or list is written before the pointer to it is stored, with release.
// Readers follow that pointer, which orders their loads by dependency; otherwise they could jump to an address that
// is not written yet. Writers hold the runtime's own mutex. A class without a table is not in use: the runtime makes
// its table from the lists, under that mutex, at its first message.
#include "hook/methods.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "hook/metal.h"

enum { BUCKET = 32 };

// The layouts of GCC's runtime, ABI version 8: compilers emit selectors, methods and classes in this form, and every
// libobjc.so.4 reads its tables in this form.
struct objc_selector {
  uint32_t bucket, element; // position of its methods in a table
  const char *types;
};
struct objc_method {
  SEL name;
  const char *types;
  _Atomic(IMP) implementation;
};
struct methods {
  struct methods *next;
  int count;
  struct objc_method methods[1];
};
union version {
  int number;
  void *link;
};
struct bucket {
  _Atomic(IMP) elements[BUCKET];
  union version version; // the version of the table for which the bucket was made
};
struct table {
  _Atomic(struct bucket *) *buckets;
  struct bucket *empty;
  union version version;
  short references;
  struct table *ancestor;
  size_t capacity;
};
struct objc_class {
  Class meta, super;
  const char *name;
  long version;
  unsigned long info;
  long size;
  void *variables;
  _Atomic(struct methods *) methods;
  _Atomic(struct table *) table;
  Class first_below, next_beside;
};

static struct objc_method *own_method(Class class, SEL name) {
  for (struct methods *list = atomic_load_explicit(&class->methods, memory_order_relaxed); list; list = list->next)
    for (int i = 0; i < list->count; i++)
      if (list->methods[i].name->bucket == name->bucket &&
          list->methods[i].name->element == name->element) return &list->methods[i];
  return NULL;
}

Method mt_method_find(Class class, SEL selector, Class *owner) {
  Method found = NULL;
  for (; class && selector && !found; class = class_getSuperclass(class)) {
    found = own_method(class, selector);
    if (found && owner) *owner = class;
  }
  return found;
}

static bool add(Class class, const struct objc_method *inherited, IMP implementation) {
  struct methods *list = malloc(sizeof *list);
  if (!list) return false;
  *list = (struct methods){atomic_load_explicit(&class->methods, memory_order_relaxed), 1,
      {{inherited->name, inherited->types, implementation}}};
  atomic_store_explicit(&class->methods, list, memory_order_release);
  return true;
}

static void put(struct table *table, SEL name, IMP implementation) {
  // Only a safeguard: a method that the class has, its own or inherited, always has a place in the table.
  if ((size_t)name->bucket * BUCKET + name->element >= table->capacity) return;
  _Atomic(struct bucket *) *place = &table->buckets[name->bucket];
  struct bucket *bucket = atomic_load_explicit(place, memory_order_relaxed);
  if (bucket != table->empty && bucket->version.number == table->version.number) {
    atomic_store_explicit(&bucket->elements[name->element], implementation, memory_order_release);
    return;
  }
  struct bucket *own = malloc(sizeof *own);
  if (!own) return;
  memcpy(own, bucket, sizeof *own);
  own->version = table->version;
  atomic_store_explicit(&own->elements[name->element], implementation, memory_order_relaxed);
  atomic_store_explicit(place, own, memory_order_release);
}

// Changes a method in the table of a class, and in the tables of all classes below it that do not override the method.
// `none` is the table of every class for which the runtime has not made a table yet; these classes are skipped.
static void put_below(Class class, SEL name, IMP implementation, const struct table *none) {
  struct table *table = atomic_load_explicit(&class->table, memory_order_relaxed);
  if (table == none) return;
  put(table, name, implementation);
  for (Class below = class->first_below; below; below = below->next_beside)
    if (!own_method(below, name)) put_below(below, name, implementation, none);
}

static void **mutex, **none;
static int (*lock)(void *), (*unlock)(void *);

bool mt_methods_resolve(void) {
  if (!mt_objc_resolve()) return false;
  mutex = mt_metal_symbol("__objc_runtime_mutex");
  none = mt_metal_symbol("__objc_uninstalled_dtable");
  *(void **)&lock = mt_metal_symbol("objc_mutex_lock");
  *(void **)&unlock = mt_metal_symbol("objc_mutex_unlock");
  return mutex && none && lock && unlock;
}

void mt_method_put(Class class, Method method, IMP implementation) {
  lock(*mutex);
  struct objc_method *own = own_method(class, method->name);
  if (own) atomic_store_explicit(&own->implementation, implementation, memory_order_release);
  if (!own && atomic_load_explicit(&class->table, memory_order_relaxed) == *none)
    class_addMethod(class, method->name, implementation, method->types);
  else if (own || add(class, method, implementation))
    put_below(class, method->name, implementation, *none);
  unlock(*mutex);
}
