// The floor top: the two tables, and the drainer. On Linux. One piece of C, because cgo compiles only this folder; see
// docs/architecture.md.
#include "top/drainer_linux.c"
#include "top/threadtimes_linux.c"
