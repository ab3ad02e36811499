// Compiles the files of waits/ for Linux as one unit: recording of locks, dispatch queues, semaphores and signals
// that make threads wait. cgo compiles only its package's own folder, so a file of waits/ that is not included here
// is missing from the library.
#include "waits/blocking_linux.c"
#include "waits/descriptorfacts_linux.c"
#include "waits/futexes_linux.c"
#include "waits/locks_linux.c"
#include "waits/processes_linux.c"
