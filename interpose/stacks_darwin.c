// Compiles the files of stacks/ for macOS as one unit: call stacks: native frames, their images and symbols, and
// Python frames. cgo compiles only its package's own folder, so a file of stacks/ that is not included here is
// missing from the library.
#include "stacks/images_darwin.c"
#include "stacks/stack_darwin.c"
#include "stacks/symbols_darwin.c"
