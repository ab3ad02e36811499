// The hook floor on Linux: how a call is found, replaced and recorded. One compilation unit, because cgo compiles only
// this folder; see docs/architecture.md.
#include "hook/interpose_linux.c"
#include "hook/loads_linux.c"
#include "hook/metal_linux.c"
#include "hook/methods_linux.c"
