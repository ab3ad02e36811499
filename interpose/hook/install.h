// Putting hooks into classes.
#ifndef MTRACE_INSTALL_H
#define MTRACE_INSTALL_H
#include "hook/objc.h"

// Hooks every method of the family's table that the class has, itself or by inheritance. Flags go into its records.
// Returns how many methods could not be hooked. One thread at a time.
unsigned mt_install(Class class, unsigned family, unsigned flags);

// What a class does for a selector without our hooks; NULL when it does not respond.
IMP mt_original_of(Class class, SEL selector);

// Hooks the family's methods where they are defined, in the class or above it, for all classes that share them.
unsigned mt_install_owners(Class class, unsigned family);

// Hooks the choke points of a family where they are first defined, at or above a class.
void mt_install_audits(Class class, unsigned family);
// What becomes of a message without our hooks: the implementation, and in *object who gets it, after forwarding. NULL
// when nobody does.
IMP mt_original(id *object, const char *selector);
#endif
