// Compiles the files of stacks/ for macOS as one unit. They record call stacks: native frames with their images and
// symbols, and Python frames. cgo compiles only files in its package's own folder, so the library lacks any file of
// stacks/ that is not included here.
#include "stacks/images_darwin.c"
#include "stacks/stack_darwin.c"
#include "stacks/symbols_darwin.c"
