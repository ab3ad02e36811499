// Compiles the files of stacks/ for Linux as one unit. They record call stacks: native frames with their images and
// symbols, and Python frames. cgo compiles only files in its package's own folder, so the library lacks any file of
// stacks/ that is not included here.
#include "stacks/cfi_linux.c"
#include "stacks/images_linux.c"
#include "stacks/stack_linux.c"
