// Apple's Objective-C runtime, on GCC's. Rule, of objc4's runtime/objc-class.mm and objc-runtime-new.mm: a selector is
// one pointer for all types; an implementation that a class has not is _objc_msgForward; class_replaceMethod never
// looks above the class; pools are pushed and popped in order.
//
// Whoever asked for it is told of each image with classes, those that are there first (objc-os.mm,
// objc_addLoadImageFunc).
//
// Autoreleased results are handed over as on arm64 (runtime/objc-object.h, NSObject.mm): objc_autoreleaseReturnValue
// keeps the object, owned, and where it returns to, in a slot of the thread; objc_retainAutoreleasedReturnValue takes
// it if it returns 8 bytes behind that. On x86-64 the runtime compares instructions instead, and these are 8 bytes,
// too. Whatever comes in between moves the object to the pool. Objects of the classes that the test's program names are
// counted; those of others live for ever.
//
// Here they are GCC's, declared by hand as in objc.h: a compiler that is not GCC has no headers of it.
#undef class_getMethodImplementation
#undef class_replaceMethod
#undef method_getName
#undef object_getClass
#undef objc_lookUpClass
#undef sel_registerName
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "fakes.h"

typedef struct objc_class *Class;
typedef struct objc_object *id;
typedef const struct objc_selector *SEL;
typedef struct objc_method *Method;
typedef void (*IMP)(void);
extern SEL sel_registerName(const char *name), method_getName(Method method);
extern const char *sel_getName(SEL selector);
extern IMP class_getMethodImplementation(Class class, SEL selector), method_setImplementation(Method method, IMP implementation);
extern unsigned char class_respondsToSelector(Class class, SEL selector), class_addMethod(Class class, SEL selector, IMP implementation, const char *types);
extern Method class_getInstanceMethod(Class class, SEL selector);

void _objc_msgForward(void) { abort(); }

Class mac_object_getClass(id object) { return object ? *(Class *)(void *)object : NULL; }

extern Class objc_lookUpClass(const char *name);
_Atomic long mac_class_lookups;
Class mac_objc_lookUpClass(const char *name) {
  mac_class_lookups++;
  return objc_lookUpClass(name);
}

enum { MOST_FUNCTIONS = 4 };
static void (*load_functions[MOST_FUNCTIONS])(const void *header);
static _Atomic int load_function_count;
void mac_load_classes(void) {
  for (int i = 0; i < load_function_count; i++) load_functions[i]("an image");
}
void objc_addLoadImageFunc(void (*function)(const void *header)) {
  if (load_function_count == MOST_FUNCTIONS) abort();
  load_functions[load_function_count++] = function;
  function("libobjc itself");
}

SEL mac_sel_registerName(const char *name) { return sel_registerName(name); }

SEL mac_method_getName(Method method) { return sel_registerName(sel_getName(method_getName(method))); }

IMP mac_class_getMethodImplementation(Class class, SEL selector) {
  if (!class || !selector) return NULL;
  return class_respondsToSelector(class, selector) ? class_getMethodImplementation(class, selector) : _objc_msgForward;
}

IMP mac_class_replaceMethod(Class class, SEL selector, IMP implementation, const char *types) {
  if (class_addMethod(class, selector, implementation, types)) return NULL;
  Method own = class_getInstanceMethod(class, selector);
  return method_setImplementation(own, implementation);
}

struct counted {
  Class class;
  _Atomic long count;
};
enum { MOST_COUNTED = 4 };
static Class counted[MOST_COUNTED];
struct mac_objects mac_objects;

void mac_count_objects_of(void *class) {
  int i = 0;
  while (i < MOST_COUNTED && counted[i]) i++;
  if (i == MOST_COUNTED) abort();
  counted[i] = class;
}

void *mac_make_object_of(void *class) {
  struct counted *made = calloc(1, sizeof *made);
  made->class = class;
  made->count = 1;
  mac_objects.alive++;
  return made;
}

void *mac_make_object(void) { return mac_make_object_of(counted[0]); }

long mac_count_of(void *object) { return ((struct counted *)object)->count; }

static bool is_counted(id object) {
  Class class = object ? *(Class *)(void *)object : NULL;
  bool found = false;
  for (int i = 0; class && i < MOST_COUNTED; i++) found = found || counted[i] == class;
  return found;
}

id objc_retain(id object) {
  if (is_counted(object)) ((struct counted *)(void *)object)->count++;
  return object;
}

void objc_release(id object) {
  struct counted *it = (struct counted *)(void *)object;
  if (!is_counted(object)) return;
  if (it->count <= 0) abort(); // released once too often
  if (--it->count > 0) return;
  mac_objects.alive--;
  it->class = NULL; // and kept, for whoever has it still
}

enum { MOST_POOLED = 1 << 16 };
static _Thread_local id *pool; // NULL where a pool begins; not in the thread itself, whose stack would be smaller
static _Thread_local size_t pooled;
static _Thread_local int pools;
static _Thread_local struct {
  id object;
  uintptr_t returns_to;
} handed;

static void put(id object) {
  if (!pool) pool = calloc(MOST_POOLED, sizeof *pool);
  if (!pool || pooled == MOST_POOLED) abort();
  pool[pooled++] = object;
}

id objc_autorelease(id object) {
  if (!is_counted(object)) return object;
  put(object);
  mac_objects.autoreleased++;
  if (pools == 0) mac_objects.without_pool++;
  return object;
}

static void move_to_pool(void) {
  id left = handed.object;
  handed.object = NULL;
  if (left) objc_autorelease(left);
}

id objc_autoreleaseReturnValue(id object) {
  move_to_pool();
  if (is_counted(object)) handed.object = object, handed.returns_to = (uintptr_t)__builtin_return_address(0);
  return object;
}

// As Mach-O's compilers name it in machine code.
id objc_retainAutoreleasedReturnValue(id object) __asm__("_objc_retainAutoreleasedReturnValue");
id objc_retainAutoreleasedReturnValue(id object) {
  enum { DISTANCE = 8 };
  if (handed.object && handed.object == object && (uintptr_t)__builtin_return_address(0) - handed.returns_to == DISTANCE) {
    handed.object = NULL;
    return object;
  }
  move_to_pool();
  return objc_retain(object);
}

void *objc_autoreleasePoolPush(void) {
  move_to_pool();
  put(NULL);
  pools++;
  return (void *)pooled;
}

void objc_autoreleasePoolPop(void *begin) {
  if (pooled < (size_t)begin || pools == 0) abort();
  move_to_pool();
  for (; pooled >= (size_t)begin; pooled--) {
    if (pool[pooled - 1]) objc_release(pool[pooled - 1]);
    else if (pooled > (size_t)begin) abort(); // one inside is there still
  }
  pools--;
}
