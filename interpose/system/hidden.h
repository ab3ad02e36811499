// Visibility of a variable that the hot path reads. Rule: without this attribute its address is loaded from a table,
// even with -fvisibility=hidden, which only affects definitions.
#ifndef MTRACE_HIDDEN_H
#define MTRACE_HIDDEN_H
#define MT_HIDDEN __attribute__((visibility("hidden")))
#endif
