// The stacks floor on macOS: where a call comes from. One compilation unit, because cgo compiles only this folder; see
// docs/architecture.md.
#include "stacks/images_darwin.c"
#include "stacks/stack_darwin.c"
#include "stacks/symbols_darwin.c"
