// Compiles the files of waits/ as one unit. They record what threads wait for: locks, dispatch queues, semaphores and
// signals. cgo compiles only files in its package's own folder, so the library lacks any file of waits/ that is not
// included here.
#include "waits/blocked.c"
#include "waits/descriptor.c"
#include "waits/handoff.c"
#include "waits/locks.c"
#include "waits/processes.c"
#include "waits/replaced.c"
