// The stacks floor on Linux: where a call comes from. One compilation unit, because cgo compiles only this folder; see
// docs/architecture.md.
#include "stacks/cfi_linux.c"
#include "stacks/images_linux.c"
#include "stacks/stack_linux.c"
