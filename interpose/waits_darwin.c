// The waits floor on macOS: locks, queues, signals and wake-ups. One compilation unit, because cgo compiles only this
// folder; see docs/architecture.md.
#include "waits/blocking_darwin.c"
#include "waits/descriptorfacts_darwin.c"
#include "waits/locks_darwin.c"
#include "waits/processes_darwin.c"
#include "waits/queues_darwin.c"
#include "waits/semaphores_darwin.c"
#include "waits/signals_darwin.c"
#include "waits/ulocks_darwin.c"
