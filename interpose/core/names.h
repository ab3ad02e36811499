// A cache of the names of locks, for all threads of the process. Finding a name means looking through a library's
// symbols, which takes tens of microseconds, and all threads of Python wait for the same lock in the same few
// functions.
//
// Rule: the table has a fixed size and is read and written without waiting. It may forget a name, but never returns a
// wrong one. Memory order: an entry is two words, the name and the key mixed with the name. A reader that sees one word
// of each of two entries finds that they do not fit together. The text of a cached name was put into a ring before, so
// it is in the trace.
#ifndef MTRACE_NAMES_H
#define MTRACE_NAMES_H
#include <stdint.h>

// The name of a lock that is waited for at a place in the code; 0 when it is not cached.
uint64_t mt_name_known(const void *lock, const void *waiter);
void mt_name_keep(const void *lock, const void *waiter, uint64_t name);
#endif
