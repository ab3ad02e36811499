// The floor waits: locks, queues, signals and who woke whom. One piece of C, because cgo compiles only this folder; see
// docs/architecture.md.
#include "waits/handoff.c"
#include "waits/locks.c"
#include "waits/processes.c"
#include "waits/replaced.c"
