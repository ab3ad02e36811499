// Putting hooks into classes.
#ifndef MTRACE_INSTALL_H
#define MTRACE_INSTALL_H
#include "hook/objc.h"

// Hooks every method of the family's table that the class has, itself or by inheritance. flags go into the records of
// these methods. Returns the number of methods that could not be hooked. One thread at a time.
unsigned mt_install(Class class, unsigned family, unsigned flags);

// Returns the implementation that a class has for a selector, without the hooks; NULL if the class does not respond.
IMP mt_original_of(Class class, SEL selector);

// Hooks the family's methods in the classes that define them, the class or its ancestors, for all classes that inherit
// them.
unsigned mt_install_owners(Class class, unsigned family);

// Hooks the choke points of a family where they are first defined, in a class or its ancestors.
void mt_install_audits(Class class, unsigned family);
// Returns the implementation that a message reaches without the hooks, with the receiver after forwarding in *object;
// NULL if there is none.
IMP mt_original(id *object, const char *selector);
#endif
