// The system floor on macOS: what differs between systems and knows nothing of tracing. One compilation unit, because
// cgo compiles only this folder; see docs/architecture.md.
#include "system/doorbell_darwin.c"
#include "system/own_darwin.c"
#include "system/place_darwin.c"
#include "system/program_darwin.c"
#include "system/sharedcache_darwin.c"
