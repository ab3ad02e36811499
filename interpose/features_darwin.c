// Compiles the files of features/ for macOS as one unit: what is recorded besides the Metal calls themselves, such as
// GPU times, memory and captures. cgo compiles only its package's own folder, so a file of features/ that is not
// included here is missing from the library.
#include "features/signposts_darwin.c"
