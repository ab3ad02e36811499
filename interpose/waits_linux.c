// Compiles the files of waits/ for Linux as one unit. They record what threads wait for: locks, dispatch queues,
// semaphores and signals. cgo compiles only files in its package's own folder, so the library lacks any file of
// waits/ that is not included here.
#include "waits/blocking_linux.c"
#include "waits/descriptorfacts_linux.c"
#include "waits/futexes_linux.c"
#include "waits/locks_linux.c"
#include "waits/processes_linux.c"
