// The waits floor: locks, queues, signals and wake-ups. One compilation unit, because cgo compiles only this folder;
// see docs/architecture.md.
#include "waits/blocked.c"
#include "waits/descriptor.c"
#include "waits/handoff.c"
#include "waits/locks.c"
#include "waits/processes.c"
#include "waits/replaced.c"
