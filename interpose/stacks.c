// The stacks floor: where a call comes from. One compilation unit, because cgo compiles only this folder; see
// docs/architecture.md.
#include "stacks/images.c"
#include "stacks/python.c"
#include "stacks/python_layout.c"
#include "stacks/python_lines.c"
#include "stacks/python_text.c"
#include "stacks/stack.c"
