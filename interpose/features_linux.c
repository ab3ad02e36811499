// The features floor on Linux: what is recorded besides the calls themselves. One compilation unit, because cgo
// compiles only this folder; see docs/architecture.md.
#include "features/signposts_linux.c"
