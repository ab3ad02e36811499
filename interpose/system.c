// The system floor: what differs between systems and knows nothing of tracing. One compilation unit, because cgo
// compiles only this folder; see docs/architecture.md.
#include "system/blocks.c"
#include "system/descriptor.c"
#include "system/doorbell.c"
