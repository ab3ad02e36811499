// Compiles the files of top/ for Linux as one unit: the tables of hooks and features, and the C half of the drainer
// (the thread that sends records to the collector). cgo compiles only its package's own folder, so a file of top/
// that is not included here is missing from the library.
#include "top/drainer_linux.c"
#include "top/threadtimes_linux.c"
