// Apple's Objective-C runtime, on GCC's. Rule, of objc4's runtime/objc-class.mm and objc-runtime-new.mm: a selector is one pointer for all types;
// an implementation that a class has not is _objc_msgForward; class_replaceMethod never looks above the class; pools are pushed and popped in
// order.
// Here they are GCC's, declared by hand as in objc.h: a compiler that is not GCC has no headers of it.
#undef class_getMethodImplementation
#undef class_replaceMethod
#undef method_getName
#undef object_getClass
#undef sel_registerName
#include <stdlib.h>

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

static _Thread_local long pools;
void *objc_autoreleasePoolPush(void) { return (void *)++pools; }
void objc_autoreleasePoolPop(void *pool) {
  if ((long)pool != pools--) abort();
}
