// Creates memory that the program shares with the collector by sending it the memory's descriptor.
//
// Rule: creating it must not run into a limit that the program set for itself. Exceeding RLIMIT_FSIZE would raise
// SIGXFSZ and kill the program, so the limit is checked first. The size is sealed if the system can do that. The
// descriptor gets a number that the program does not use. Pages take no memory until they are written.
#ifndef MTRACE_SHAREABLE_H
#define MTRACE_SHAREABLE_H
#include <stdbool.h>
#include <stddef.h>

// Returns whether the program's limit on the size of files (RLIMIT_FSIZE) allows size bytes.
bool mt_shareable_fits(size_t size);

// Creates size bytes of memory and returns the descriptor, or -1. The caller maps it, sends it and closes it.
int mt_shareable_make(size_t size);
#endif
