// Compiles the files of features/ for macOS as one unit. They record what is not a Metal call itself, such as GPU
// times, memory and captures. cgo compiles only files in its package's own folder, so the library lacks any file of
// features/ that is not included here.
#include "features/signposts_darwin.c"
