// Memory that the program and the collector share: made here, its descriptor sent, and then closed.
//
// Rule: no limit the program set for itself may hit it through us: RLIMIT_FSIZE would raise SIGXFSZ, so it is asked
// first; the size is sealed where the system can, out of the way of the program's descriptors, and pages cost nothing
// until they are written.
#ifndef MTRACE_SHAREABLE_H
#define MTRACE_SHAREABLE_H
#include <stdbool.h>
#include <stddef.h>

// Whether the program's limit on the size of files leaves room for so many bytes.
bool mt_shareable_fits(size_t size);

// A descriptor of new memory, or -1.
int mt_shareable_make(size_t size);
#endif
