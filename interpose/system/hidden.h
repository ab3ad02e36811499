// Declares a variable as private to this library. Rule: use it for variables that are read in every recorded call.
// Without it the compiler loads the variable's address from a table first, even with -fvisibility=hidden, which only
// affects definitions.
#ifndef MTRACE_HIDDEN_H
#define MTRACE_HIDDEN_H
#define MT_HIDDEN __attribute__((visibility("hidden")))
#endif
