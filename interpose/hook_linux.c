// Compiles the files of hook/ for Linux as one unit. They find Metal's methods, replace them and record each call.
// cgo compiles only files in its package's own folder, so the library lacks any file of hook/ that is not included
// here.
#include "hook/interpose_linux.c"
#include "hook/loads_linux.c"
#include "hook/metal_linux.c"
#include "hook/methods_linux.c"
