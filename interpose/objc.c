// Messages of our own to Metal's objects. Rule: rare, never on the hot path, inside a pool when they can autorelease.
#include "objc.h"

struct mt_blocks mt_blocks;
static void *(*pool_push)(void);
static void (*pool_pop)(void *);

#ifdef __APPLE__
extern void *_NSConcreteGlobalBlock[32], *_NSConcreteStackBlock[32];
extern void _Block_object_assign(void *, const void *, const int);
extern void _Block_object_dispose(const void *, const int);
extern void *objc_autoreleasePoolPush(void);
extern void objc_autoreleasePoolPop(void *pool);

bool mt_objc_resolve(void) {
  mt_blocks = (struct mt_blocks){_NSConcreteGlobalBlock, _NSConcreteStackBlock, _Block_object_assign, _Block_object_dispose};
  pool_push = objc_autoreleasePoolPush;
  pool_pop = objc_autoreleasePoolPop;
  return true;
}
#else
#include "interpose.h"
#include "methods.h"

struct mt_objc mt_objc;

bool mt_objc_resolve(void) {
#define X(type, name, parameters) \
  *(void **)&mt_objc.name = mt_metal_symbol(#name); \
  if (!mt_objc.name) return false;
// The macros that rename calls must not rename the members here.
#undef sel_get_any_uid
#undef class_getName
#undef class_getSuperclass
#undef objc_lookUpClass
#undef class_getInstanceMethod
#undef class_getMethodImplementation
#undef class_addMethod
#undef method_getTypeEncoding
  GCC_FUNCTIONS(X)
#undef X
  mt_blocks.global = mt_metal_symbol("_NSConcreteGlobalBlock");
  mt_blocks.stack = mt_metal_symbol("_NSConcreteStackBlock");
  *(void **)&mt_blocks.assign = mt_metal_symbol("_Block_object_assign");
  *(void **)&mt_blocks.dispose = mt_metal_symbol("_Block_object_dispose");
  *(void **)&pool_push = mt_metal_symbol("objc_autoreleasePoolPush");
  *(void **)&pool_pop = mt_metal_symbol("objc_autoreleasePoolPop");
  return mt_methods_resolve();
}
#define objc_lookUpClass mt_objc.objc_lookUpClass
#define class_getInstanceMethod mt_objc.class_getInstanceMethod
#define class_getMethodImplementation mt_objc.class_getMethodImplementation
#endif

IMP mt_implementation(id object, const char *selector) {
  if (!object) return NULL;
  SEL name = mt_selector(selector);
  Class class = objc_class_of(object);
  return class_getInstanceMethod(class, name) ? class_getMethodImplementation(class, name) : NULL;
}

id mt_send_id(id object, const char *selector) {
  IMP method = mt_implementation(object, selector);
  return method ? ((id (*)(id, SEL))method)(object, mt_selector(selector)) : NULL;
}

uint64_t mt_send_integer(id object, const char *selector) {
  IMP method = mt_implementation(object, selector);
  return method ? ((uint64_t (*)(id, SEL))method)(object, mt_selector(selector)) : 0;
}

// Where the runtime has no pool functions, Foundation's pool class does the same: GNUstep's on GCC's runtime.
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
