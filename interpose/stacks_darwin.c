// The floor stacks: where a call comes from. On macOS. One piece of C, because cgo compiles only this folder; see
// docs/architecture.md.
#include "stacks/images_darwin.c"
#include "stacks/stack_darwin.c"
#include "stacks/symbols_darwin.c"
