// The floor hook: how a call is found, replaced and recorded. On macOS. One piece of C, because cgo compiles only this
// folder; see docs/architecture.md.
#include "hook/interpose_darwin.c"
#include "hook/loads_darwin.c"
#include "hook/metal_darwin.c"
#include "hook/methods_darwin.c"
