// Apple's runtime changes classes under readers without a lock: nothing of a method list or a cache is freed while a thread may read it
// (docs/cases.md says how). class_replaceMethod never looks above the class.
#include "methods.h"

extern SEL method_getName(Method method);
extern IMP class_replaceMethod(Class class, SEL selector, IMP implementation, const char *types);

void mt_method_put(Class class, Method method, IMP implementation) {
  class_replaceMethod(class, method_getName(method), implementation, method_getTypeEncoding(method));
}
