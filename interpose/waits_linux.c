// The waits floor on Linux: locks, queues, signals and wake-ups. One compilation unit, because cgo compiles only this
// folder; see docs/architecture.md.
#include "waits/blocking_linux.c"
#include "waits/descriptorfacts_linux.c"
#include "waits/futexes_linux.c"
#include "waits/locks_linux.c"
#include "waits/processes_linux.c"
