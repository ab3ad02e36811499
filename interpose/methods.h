// Changing what a class does while other threads send messages to its objects.
#ifndef MTRACE_METHODS_H
#define MTRACE_METHODS_H
#include "objc.h"

// Makes implementation what a class does for the selector of method, its own or one it inherits; of an inherited one only this class's
// and, as inheritance has it, that of the classes below it.
void mt_method_put(Class class, Method method, IMP implementation);

// Finds what of GCC's runtime that takes. False when this is another one.
bool mt_methods_resolve(void);
#endif
