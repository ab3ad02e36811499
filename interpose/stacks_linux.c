// The floor stacks: where a call comes from. On Linux. One piece of C, because cgo compiles only this folder; see
// docs/architecture.md.
#include "stacks/images_linux.c"
#include "stacks/stack_linux.c"
