// Compiles the files of waits/ as one unit: recording of locks, dispatch queues, semaphores and signals that make
// threads wait. cgo compiles only its package's own folder, so a file of waits/ that is not included here is missing
// from the library.
#include "waits/blocked.c"
#include "waits/descriptor.c"
#include "waits/handoff.c"
#include "waits/locks.c"
#include "waits/processes.c"
#include "waits/replaced.c"
