// The floor stacks: where a call comes from. One piece of C, because cgo compiles only this folder; see
// docs/architecture.md.
#include "stacks/images.c"
#include "stacks/python.c"
#include "stacks/python_layout.c"
#include "stacks/python_lines.c"
#include "stacks/python_text.c"
#include "stacks/stack.c"
