// The floor system: what differs between systems and knows nothing of tracing. On macOS. One piece of C, because cgo
// compiles only this folder; see docs/architecture.md.
#include "system/doorbell_darwin.c"
#include "system/own_darwin.c"
#include "system/place_darwin.c"
#include "system/program_darwin.c"
