// A variable that is asked for on the hot path. Rule: without this its address is looked up in a table, also where
// -fvisibility=hidden is given: that is for definitions.
#ifndef MTRACE_HIDDEN_H
#define MTRACE_HIDDEN_H
#define MT_HIDDEN __attribute__((visibility("hidden")))
#endif
