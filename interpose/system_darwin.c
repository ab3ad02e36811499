// Compiles the files of system/ for macOS as one unit. They are small helpers that differ between systems and know
// nothing of tracing. cgo compiles only files in its package's own folder, so the library lacks any file of system/
// that is not included here.
#include "system/doorbell_darwin.c"
#include "system/own_darwin.c"
#include "system/place_darwin.c"
#include "system/program_darwin.c"
#include "system/sharedcache_darwin.c"
