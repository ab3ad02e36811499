// The floor top: the two tables, and the drainer. On macOS. One piece of C, because cgo compiles only this folder; see
// docs/architecture.md.
#include "top/drainer_darwin.c"
#include "top/threadtimes_darwin.c"
