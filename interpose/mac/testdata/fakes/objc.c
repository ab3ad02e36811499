// Apple's Objective-C runtime, on GCC's. Rule, of objc4's runtime/objc-class.mm and objc-runtime-new.mm: a selector is one pointer for all types;
// an implementation that a class has not is _objc_msgForward; class_replaceMethod never looks above the class; pools are pushed and popped in
// order.
// Here they are GCC's.
#undef class_getMethodImplementation
#undef class_replaceMethod
#undef method_getName
#undef object_getClass
#undef sel_registerName
#include <objc/runtime.h>
#include <stdlib.h>

void _objc_msgForward(void) { abort(); }

Class mac_object_getClass(id object) { return object ? *(Class *)(void *)object : Nil; }

SEL mac_sel_registerName(const char *name) { return sel_registerName(name); }

SEL mac_method_getName(Method method) { return sel_registerName(sel_getName(method_getName(method))); }

IMP mac_class_getMethodImplementation(Class class, SEL selector) {
  if (!class || !selector) return NULL;
  return class_respondsToSelector(class, selector) ? class_getMethodImplementation(class, selector) : (IMP)_objc_msgForward;
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
