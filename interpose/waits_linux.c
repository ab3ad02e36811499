// The floor waits: locks, queues, signals and who woke whom. On Linux. One piece of C, because cgo compiles only this
// folder; see docs/architecture.md.
#include "waits/locks_linux.c"
#include "waits/processes_linux.c"
