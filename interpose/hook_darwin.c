// The hook floor on macOS: how a call is found, replaced and recorded. One compilation unit, because cgo compiles only
// this folder; see docs/architecture.md.
#include "hook/interpose_darwin.c"
#include "hook/loads_darwin.c"
#include "hook/metal_darwin.c"
#include "hook/methods_darwin.c"
