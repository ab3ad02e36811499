// Installs hooks (functions that replace methods) in classes.
#ifndef MTRACE_INSTALL_H
#define MTRACE_INSTALL_H
#include "hook/objc.h"

// Hooks the methods that the table has for a family (a kind of objects, such as queues) in a class, whether the class
// defines or inherits them. flags are added to all records of these methods. Returns the number of methods that could
// not be hooked. Only one thread may call it at a time.
unsigned mt_install(Class class, unsigned family, unsigned flags);

// Returns a class's implementation of a selector as if no hooks were installed; NULL if the class does not respond.
// The tracer itself calls this implementation, so that its own calls are not recorded.
IMP mt_original_of(Class class, SEL selector);

// Hooks the methods of a family (a kind of objects, such as queues), each in the class or ancestor that defines it. So
// a hook also applies to all classes that inherit the method. Returns the number of methods that could not be hooked.
unsigned mt_install_owners(Class class, unsigned family);

// Hooks the choke points of a family (a kind of objects, such as queues): the methods that Metal calls once for each
// command buffer. Each is hooked in the topmost ancestor that defines it, so that calls to classes that the tracer
// never saw are counted, too, if they reach it.
void mt_install_audits(Class class, unsigned family);
// Returns the implementation that a message to *object would reach if no hooks were installed; NULL if there is none.
// If *object forwards the message, *object becomes the object to which it is forwarded.
IMP mt_original(id *object, const char *selector);
#endif
