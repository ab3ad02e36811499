// The top floor on macOS: the tables of hooks and features, and the drainer. One compilation unit, because cgo compiles
// only this folder; see docs/architecture.md.
#include "top/drainer_darwin.c"
#include "top/threadtimes_darwin.c"
