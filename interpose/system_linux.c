// The system floor on Linux: what differs between systems and knows nothing of tracing. One compilation unit, because
// cgo compiles only this folder; see docs/architecture.md.
#include "system/doorbell_linux.c"
#include "system/lookup_linux.c"
#include "system/originals_linux.c"
#include "system/place_linux.c"
#include "system/program_linux.c"
#include "system/sanitizer_linux.c"
