// The floor top: the two tables, and the drainer. One piece of C, because cgo compiles only this folder; see
// docs/architecture.md.
#include "top/cost.c"
#include "top/drainer.c"
#include "top/features.c"
#include "top/gosignals.c"
#include "top/hooks.c"
