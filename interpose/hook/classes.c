// Discovery of classes: no driver class is known by name. When the first object of a class appears (a device, queue,
// command buffer, encoder and so on), its class is looked up and hooked. So drivers that load late and classes of
// future chips are traced, too.
#include "hook/classes.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "core/feature.h"
#include "core/text.h"
#include "core/thread.h"
#include "hook/install.h"
#include "hook/skip.h"
#include "system/own.h"

enum { MOST_INDEX = 255 };

struct class_entry mt_classes[MT_CLASSES];
static unsigned count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct class_entry *probe(Class class, unsigned family) {
  unsigned slot = mt_class_slot(class, family);
  for (int i = 0; i < MT_CLASSES; i++, slot++) {
    struct class_entry *e = &mt_classes[slot % MT_CLASSES];
    Class found = atomic_load_explicit(&e->class, memory_order_acquire);
    if (!found || (found == class && e->family == family)) return e;
  }
  return NULL;
}

const struct class_entry *mt_class_search(Class class, unsigned family) {
  struct class_entry *e = class ? probe(class, family) : NULL;
  return e && atomic_load_explicit(&e->class, memory_order_relaxed) ? e : NULL;
}

// Hooks the methods of a class. Classes of Metal Performance Shaders are hooked where their methods are defined,
// because hundreds of classes inherit a few methods. Returns the number of methods that could not be hooked.
static unsigned put_hooks(Class class, unsigned family, unsigned flags) {
  static const bool share_methods[MT_FAMILY_COUNT] = {[MT_FAMILY_mpsKernel] = true, [MT_FAMILY_mpsGraph] = true,
      [MT_FAMILY_mpsCommandBuffer] = true};
  return share_methods[family] ? mt_install_owners(class, family) : mt_install(class, family, flags);
}

// Hooks the queue methods that count command buffers (coverage.h). When the first device appears, they are also
// hooked in _MTLCommandQueue, the superclass of all drivers' queues. So command buffers are counted even of queues
// that the other hooks do not see.
static void put_audits(Class class, unsigned family) {
  Class queues = family == MT_FAMILY_queue ? class : family == MT_FAMILY_device ? objc_lookUpClass("_MTLCommandQueue") :
      NULL;
  if (queues && !mt_skipped(queues)) mt_install_audits(queues, MT_FAMILY_queue);
}

// Holds the tracer's own lock, so that only one thread at a time hooks classes: hooking takes locks of the Objective-C
// runtime and adds an entry to the table. Readers of the table need no lock: an entry becomes visible to them only
// when it is complete.
const struct class_entry *mt_class_hook(struct thread *t, Class class, unsigned family) {
  const struct class_entry *known = mt_class_find(class, family);
  if (!class || known) return known;
  int saved = errno;
  bool outer = t->own_work;
  t->own_work = true;
  mt_own_lock(&mutex);
  struct class_entry *e = probe(class, family);
  if (e && !atomic_load_explicit(&e->class, memory_order_relaxed) && count < MT_CLASSES / 2) {
    const char *name = class_getName(class);
    e->family = family;
    e->index = ++count <= MOST_INDEX ? count : 0;
    MT_FEATURES(class_seen, mt_class_index(e), class, family);
    e->base = (id(*)(id, SEL))mt_original_of(class, mt_selector("baseObject"));
    if (e->index) mt_fact(t, MT_FACT_CLASS, family, e->index, name, strlen(name));
    bool skipped = mt_skipped(class);
    unsigned left_out = skipped ? 0 : put_hooks(class, family, e->index << MT_FLAG_CLASS_SHIFT);
    put_audits(skipped ? NULL : class, family);
    if (skipped) {
      char text[256];
      int n = snprintf(text, sizeof text,
          "class %s is not hooked (--skip-class): calls of its methods are not recorded", name);
      mt_fact(t, MT_FACT_WARNING, 0, 0, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
    }
    if (left_out) {
      char text[256];
      int n = snprintf(text, sizeof text, "%u methods of class %s are not recorded: too many other classes have them",
          left_out, name);
      mt_fact(t, MT_FACT_WARNING, 0, 0, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
    }
    if (left_out) mt_fact(t, MT_FACT_UNHOOKED, family, left_out, name, strlen(name));
    atomic_store_explicit(&e->class, class, memory_order_release);
  }
  mt_own_unlock(&mutex);
  t->own_work = outer;
  mt_class_missed(t, class, family); // the table is full
  errno = saved;
  return mt_class_find(class, family);
}

id mt_wrapped_by(id object, unsigned family) {
  const struct class_entry *e = mt_class_find(objc_class_of(object), family);
  if (!e || !e->base) return NULL;
  void *pool = mt_pool_push(); // the getter may autorelease; the wrapper keeps the object that it wraps alive
  id inner = e->base(object, mt_selector("baseObject"));
  mt_pool_pop(pool);
  return inner;
}

void mt_class_missed(struct thread *t, Class class, unsigned family) {
  enum { MOST = 64 };
  static struct {
    Class class;
    unsigned family;
  } told[MOST];
  static unsigned count;
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  if (!class || mt_class_find(class, family)) return;
  mt_own_lock(&mutex);
  unsigned i = 0;
  while (i < count && !(told[i].class == class && told[i].family == family)) i++;
  bool new = i == count && count < MOST;
  if (new) {
    told[count].class = class;
    told[count++].family = family;
  }
  mt_own_unlock(&mutex);
  const char *name = class_getName(class);
  if (new) mt_fact(t, MT_FACT_UNHOOKED, family, 0, name, strlen(name));
}
