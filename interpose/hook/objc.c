// Messages that the tracer sends to Metal's objects. Rule: send them inside an autorelease pool if they can
// autorelease. Once a selector and a class are known, no lock of the runtime is taken: otherwise threads that set
// labels or create buffers at the same time would wait for each other.
//
// Memory order: a name claims an entry of the table. Its selector is then stored there with release, and loaded with
// acquire. Until the selector is stored, other threads ask the runtime, which always returns the same selector.
#include "hook/objc.h"
#include <stdatomic.h>

static void *(*pool_push)(void);
static void (*pool_pop)(void *);

#ifdef __APPLE__
extern void *_NSConcreteGlobalBlock[32], *_NSConcreteStackBlock[32];
extern void _Block_object_assign(void *, const void *, const int);
extern void _Block_object_dispose(const void *, const int);
extern void _objc_msgForward(void);
extern void *objc_autoreleasePoolPush(void);
extern void objc_autoreleasePoolPop(void *pool);

bool mt_objc_resolve(void) {
  mt_blocks = (struct mt_blocks){_NSConcreteGlobalBlock, _NSConcreteStackBlock, _Block_object_assign,
      _Block_object_dispose};
  pool_push = objc_autoreleasePoolPush;
  pool_pop = objc_autoreleasePoolPop;
  return true;
}
#else
#include "hook/metal.h"

struct mt_objc mt_objc;

bool mt_objc_resolve(void) {
#define X(type, name, parameters) #name,
  static const char *const names[] = {GCC_FUNCTIONS(X)};
#undef X
  void **functions = (void **)&mt_objc; // mt_objc has one pointer for each name, in the same order
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (!(functions[i] = mt_metal_symbol(names[i]))) return false;
  mt_blocks.global = mt_metal_symbol("_NSConcreteGlobalBlock");
  mt_blocks.stack = mt_metal_symbol("_NSConcreteStackBlock");
  *(void **)&mt_blocks.assign = mt_metal_symbol("_Block_object_assign");
  *(void **)&mt_blocks.dispose = mt_metal_symbol("_Block_object_dispose");
  *(void **)&pool_push = mt_metal_symbol("objc_autoreleasePoolPush");
  *(void **)&pool_pop = mt_metal_symbol("objc_autoreleasePoolPop");
  return true;
}
#endif

static SEL ask(const char *name) {
#ifdef __APPLE__
  return sel_registerName(name);
#else
  return sel_get_any_uid(name);
#endif
}

SEL mt_selector(const char *name) {
  enum { CAPACITY = 2048, MOST_PROBES = 32 };
  static struct {
    _Atomic(const char *) name;
    _Atomic(SEL) selector;
  } known[CAPACITY];
  size_t slot = (uintptr_t)name * 0x9e3779b97f4a7c15ull >> 53;
  for (int probe = 0; probe < MOST_PROBES; probe++, slot = (slot + 1) % CAPACITY) {
    const char *there = atomic_load_explicit(&known[slot].name, memory_order_relaxed);
    if (!there && atomic_compare_exchange_strong_explicit(&known[slot].name, &there, name, memory_order_relaxed,
        memory_order_relaxed)) there = name;
    if (there != name) continue;
    SEL selector = atomic_load_explicit(&known[slot].selector, memory_order_acquire);
    if (!selector && (selector = ask(name))) atomic_store_explicit(&known[slot].selector, selector,
        memory_order_release);
    return selector;
  }
  return ask(name);
}

IMP mt_implementation(id object, const char *selector) {
  SEL name = object ? mt_selector(selector) : NULL;
  if (!name) return NULL;
#ifdef __APPLE__
  IMP found = class_getMethodImplementation(objc_class_of(object), name);
  return found == _objc_msgForward ? NULL : found;
#else
  Class class = objc_class_of(object);
  return class_respondsToSelector(class, name) ? class_getMethodImplementation(class, name) : NULL;
#endif
}

id mt_send_id(id object, const char *selector) {
  IMP method = mt_implementation(object, selector);
  return method ? ((id (*)(id, SEL))method)(object, mt_selector(selector)) : NULL;
}

uint64_t mt_send_integer(id object, const char *selector) {
  IMP method = mt_implementation(object, selector);
  return method ? ((uint64_t (*)(id, SEL))method)(object, mt_selector(selector)) : 0;
}

// GCC's runtime may have no functions for pools; then an object of GNUstep's class NSAutoreleasePool is used.
void *mt_pool_push(void) {
  if (pool_push && pool_pop) return pool_push();
  Class class = objc_lookUpClass("NSAutoreleasePool");
  return class ? mt_send_id((id)class, "new") : NULL;
}

void mt_pool_pop(void *pool) {
  if (!pool) return;
  if (pool_push && pool_pop)
    pool_pop(pool);
  else
    mt_send_id(pool, "release");
}
