// Compiles the files of system/ for Linux as one unit. They are small helpers that differ between systems and know
// nothing of tracing. cgo compiles only files in its package's own folder, so the library lacks any file of system/
// that is not included here.
#include "system/doorbell_linux.c"
#include "system/lookup_linux.c"
#include "system/originals_linux.c"
#include "system/place_linux.c"
#include "system/program_linux.c"
#include "system/sanitizer_linux.c"
