// Starts the tracing of this process once; it never stops before the process ends.
#ifndef MTRACE_PROCESS_H
#define MTRACE_PROCESS_H
#include <stdbool.h>

// Returns true if Metal calls are recorded in this process. The first call, made at the process's first Metal call,
// starts the recording. Other threads wait here until it has started, otherwise their calls would be lost.
bool mt_activate(void);
#endif
