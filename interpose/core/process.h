// From loaded to tracing: the one-way door.
#ifndef MTRACE_PROCESS_H
#define MTRACE_PROCESS_H
#include <stdbool.h>

// True when Metal calls are to be recorded; the first caller makes that so, at the first Metal call, and others wait
// for it.
bool mt_activate(void);
#endif
