// Compiles the files of stacks/ as one unit: call stacks: native frames, their images and symbols, and Python frames.
// cgo compiles only its package's own folder, so a file of stacks/ that is not included here is missing from the
// library.
#include "stacks/images.c"
#include "stacks/python.c"
#include "stacks/python_layout.c"
#include "stacks/python_lines.c"
#include "stacks/python_text.c"
#include "stacks/stack.c"
