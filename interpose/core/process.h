// From loaded to tracing: the one-way door.
#ifndef MTRACE_PROCESS_H
#define MTRACE_PROCESS_H
#include <stdbool.h>

// True if Metal calls are to be recorded. The first caller, at the first Metal call, starts the recording; other
// callers wait until it has started.
bool mt_activate(void);
#endif
