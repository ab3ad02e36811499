// Compiles the files of waits/ for macOS as one unit: recording of locks, dispatch queues, semaphores and signals
// that make threads wait. cgo compiles only its package's own folder, so a file of waits/ that is not included here
// is missing from the library.
#include "waits/blocking_darwin.c"
#include "waits/descriptorfacts_darwin.c"
#include "waits/locks_darwin.c"
#include "waits/processes_darwin.c"
#include "waits/queues_darwin.c"
#include "waits/semaphores_darwin.c"
#include "waits/signals_darwin.c"
#include "waits/ulocks_darwin.c"
