// Compiles the files of waits/ for macOS as one unit. They record what threads wait for: locks, dispatch queues,
// semaphores and signals. cgo compiles only files in its package's own folder, so the library lacks any file of
// waits/ that is not included here.
#include "waits/blocking_darwin.c"
#include "waits/descriptorfacts_darwin.c"
#include "waits/locks_darwin.c"
#include "waits/processes_darwin.c"
#include "waits/queues_darwin.c"
#include "waits/semaphores_darwin.c"
#include "waits/signals_darwin.c"
#include "waits/ulocks_darwin.c"
