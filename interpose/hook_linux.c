// Compiles the files of hook/ for Linux as one unit: finding Metal's methods, replacing them and recording each call.
// cgo compiles only its package's own folder, so a file of hook/ that is not included here is missing from the
// library.
#include "hook/interpose_linux.c"
#include "hook/loads_linux.c"
#include "hook/metal_linux.c"
#include "hook/methods_linux.c"
