// The methods of classes, read and changed while other threads send messages to their objects. Rule: nothing of the
// program's runs, neither a class's +initialize nor a resolver of methods: whoever asks may hold a lock of the
// tracer's, which the program's code may come to wait for.
#ifndef MTRACE_METHODS_H
#define MTRACE_METHODS_H
#include "hook/objc.h"

// The method that a class has for a selector, its own or one it inherits, and in *owner, unless that is NULL, whose own
// it is. NULL when there is none. Not for the hot path.
Method mt_method_find(Class class, SEL selector, Class *owner);

// Makes implementation what a class does for the selector of method, its own or one it inherits; of an inherited one
// only this class's and, as inheritance has it, that of the classes below it.
void mt_method_put(Class class, Method method, IMP implementation);

// Resolves what is asked of the runtime, here and in objc.h. False when there is none, or another than is known.
bool mt_methods_resolve(void);

// The same, as why nothing can be recorded: NULL when it can.
const char *mt_methods_prepare(void);
#endif
