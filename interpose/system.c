// Compiles the files of system/ as one unit: small helpers that differ between systems and know nothing of tracing.
// cgo compiles only its package's own folder, so a file of system/ that is not included here is missing from the
// library.
#include "system/blocks.c"
#include "system/descriptor.c"
#include "system/doorbell.c"
