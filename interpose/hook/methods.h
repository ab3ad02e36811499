// Reads and changes the methods of classes while other threads send messages to their objects. Rule: none of the
// program's code may run meanwhile, neither a class's +initialize nor a method resolver. The caller may hold a lock of
// the tracer; if the program's code waited for that lock, the thread would hang.
#ifndef MTRACE_METHODS_H
#define MTRACE_METHODS_H
#include "hook/objc.h"

// Returns the method that a class has for a selector, its own or inherited; NULL if there is none. If owner is not
// NULL, stores the class that defines the method. It is slow: do not call it in every Metal call.
Method mt_method_find(Class class, SEL selector, Class *owner);

// Makes implementation the class's implementation of method's selector. If the class inherits method, it is
// overridden for this class and the classes that inherit from it; the ancestor does not change.
void mt_method_put(Class class, Method method, IMP implementation);

// Finds the functions of the Objective-C runtime that methods_*.c and objc.h use. Returns false without a runtime, or
// with an unknown one.
bool mt_methods_resolve(void);

// Calls mt_methods_resolve. Returns NULL, or one line for the user that says why nothing can be recorded.
const char *mt_methods_prepare(void);
#endif
