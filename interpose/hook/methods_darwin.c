// macOS: Apple's runtime lets classes change while other threads read them without a lock: objc4-951.1 changes method
// lists under runtimeLock, and frees no list or cache that a thread may be reading. class_replaceMethod never changes
// an ancestor.
// class_getInstanceMethod is not used: for a missing method it calls a resolver, which is a message and initializes
// the class. Therefore this file searches the method lists.
#include "hook/methods.h"
#include <stdlib.h>

extern Method *class_copyMethodList(Class class, unsigned *count);
extern SEL method_getName(Method method);
extern IMP class_replaceMethod(Class class, SEL selector, IMP implementation, const char *types);

static Method own_method(Class class, SEL selector) {
  unsigned count = 0;
  Method *methods = class_copyMethodList(class, &count), found = NULL;
  for (unsigned i = 0; i < count && !found; i++)
    if (method_getName(methods[i]) == selector) found = methods[i];
  free(methods);
  return found;
}

Method mt_method_find(Class class, SEL selector, Class *owner) {
  Method found = NULL;
  for (; class && !found; class = class_getSuperclass(class)) {
    found = own_method(class, selector);
    if (found && owner) *owner = class;
  }
  return found;
}

void mt_method_put(Class class, Method method, IMP implementation) {
  class_replaceMethod(class, method_getName(method), implementation, method_getTypeEncoding(method));
}

bool mt_methods_resolve(void) { return mt_objc_resolve(); }
