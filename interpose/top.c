// Compiles the files of top/ as one unit. They contain the tables of hooks and features, and the C half of the
// drainer (the thread that sends records to the collector). cgo compiles only files in its package's own folder, so
// the library lacks any file of top/ that is not included here.
#include "top/cost.c"
#include "top/drainer.c"
#include "top/features.c"
#include "top/gosignals.c"
#include "top/hooks.c"
