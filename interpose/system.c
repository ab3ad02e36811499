// Compiles the files of system/ as one unit. They are small helpers that differ between systems and know nothing of
// tracing. cgo compiles only files in its package's own folder, so the library lacks any file of system/ that is not
// included here.
#include "system/blocks.c"
#include "system/descriptor.c"
#include "system/doorbell.c"
