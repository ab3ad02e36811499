// Compiles the files of stacks/ for Linux as one unit: call stacks: native frames, their images and symbols, and
// Python frames. cgo compiles only its package's own folder, so a file of stacks/ that is not included here is
// missing from the library.
#include "stacks/cfi_linux.c"
#include "stacks/images_linux.c"
#include "stacks/stack_linux.c"
