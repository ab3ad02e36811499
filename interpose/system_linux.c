// Compiles the files of system/ for Linux as one unit: small helpers that differ between systems and know nothing of
// tracing. cgo compiles only its package's own folder, so a file of system/ that is not included here is missing from
// the library.
#include "system/doorbell_linux.c"
#include "system/lookup_linux.c"
#include "system/originals_linux.c"
#include "system/place_linux.c"
#include "system/program_linux.c"
#include "system/sanitizer_linux.c"
