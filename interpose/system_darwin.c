// Compiles the files of system/ for macOS as one unit: small helpers that differ between systems and know nothing of
// tracing. cgo compiles only its package's own folder, so a file of system/ that is not included here is missing from
// the library.
#include "system/doorbell_darwin.c"
#include "system/own_darwin.c"
#include "system/place_darwin.c"
#include "system/program_darwin.c"
#include "system/sharedcache_darwin.c"
