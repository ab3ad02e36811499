// Compiles the files of stacks/ as one unit. They record call stacks: native frames with their images and symbols,
// and Python frames. cgo compiles only files in its package's own folder, so the library lacks any file of stacks/
// that is not included here.
#include "stacks/images.c"
#include "stacks/python.c"
#include "stacks/python_layout.c"
#include "stacks/python_lines.c"
#include "stacks/python_text.c"
#include "stacks/stack.c"
