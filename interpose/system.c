// The floor system: what differs between systems and knows nothing of tracing. One piece of C, because cgo compiles
// only this folder; see docs/architecture.md.
#include "system/blocks.c"
#include "system/descriptor.c"
#include "system/doorbell.c"
