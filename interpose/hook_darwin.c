// Compiles the files of hook/ for macOS as one unit: finding Metal's methods, replacing them and recording each call.
// cgo compiles only its package's own folder, so a file of hook/ that is not included here is missing from the
// library.
#include "hook/interpose_darwin.c"
#include "hook/loads_darwin.c"
#include "hook/metal_darwin.c"
#include "hook/methods_darwin.c"
