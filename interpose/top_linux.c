// The top floor on Linux: the tables of hooks and features, and the drainer. One compilation unit, because cgo compiles
// only this folder; see docs/architecture.md.
#include "top/drainer_linux.c"
#include "top/threadtimes_linux.c"
