// Declares a variable as private to this library. Rule: use it for variables that are read in every recorded call.
// Without it the compiler first loads the variable's address from a table, even with -fvisibility=hidden: that option
// only affects definitions, not declarations.
#ifndef MTRACE_HIDDEN_H
#define MTRACE_HIDDEN_H
#define MT_HIDDEN __attribute__((visibility("hidden")))
#endif
