// The methods of classes, read and changed while other threads send messages to their objects. Rule: none of the
// program's code runs, neither a class's +initialize nor a method resolver, because the caller may hold a lock of the
// tracer that the program's code would wait for.
#ifndef MTRACE_METHODS_H
#define MTRACE_METHODS_H
#include "hook/objc.h"

// Returns the method that a class has for a selector, its own or an inherited one; NULL if there is none. Stores the
// class that defines it in *owner, unless owner is NULL. Not for the hot path.
Method mt_method_find(Class class, SEL selector, Class *owner);

// Sets the implementation of a class for the selector of method, which is the class's own or inherited. An inherited
// method is overridden for this class and, by inheritance, for the classes below it.
void mt_method_put(Class class, Method method, IMP implementation);

// Resolves the functions of the runtime that are used here and in objc.h. Returns false without a runtime, or with an
// unknown one.
bool mt_methods_resolve(void);

// Resolves the functions like mt_methods_resolve, and returns NULL, or the reason why nothing can be recorded.
const char *mt_methods_prepare(void);
#endif
