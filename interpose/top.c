// The top floor: the tables of hooks and features, and the drainer. One compilation unit, because cgo compiles only
// this folder; see docs/architecture.md.
#include "top/cost.c"
#include "top/drainer.c"
#include "top/features.c"
#include "top/gosignals.c"
#include "top/hooks.c"
