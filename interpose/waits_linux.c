// The floor waits: locks, queues, signals and who woke whom. On Linux. One piece of C, because cgo compiles only this
// folder; see docs/architecture.md.
#include "waits/blocked_linux.c"
#include "waits/blocking_linux.c"
#include "waits/descriptor_linux.c"
#include "waits/futexes_linux.c"
#include "waits/locks_linux.c"
#include "waits/processes_linux.c"
