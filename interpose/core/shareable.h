// Memory that the program and the collector share: it is created here, its descriptor is sent to the collector, and
// then closed.
//
// Rule: it must not run into a limit that the program set for itself. RLIMIT_FSIZE would raise SIGXFSZ, so the limit is
// checked first. The size is sealed if the system can do that, the descriptor number is one that the program does not
// use, and pages cost nothing until they are written.
#ifndef MTRACE_SHAREABLE_H
#define MTRACE_SHAREABLE_H
#include <stdbool.h>
#include <stddef.h>

// Does the program's limit on the size of files allow this many bytes?
bool mt_shareable_fits(size_t size);

// Returns a descriptor of new memory, or -1.
int mt_shareable_make(size_t size);
#endif
