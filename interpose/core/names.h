// Names of locks that were found once, for all threads of the process: to find one is to look through a library's
// symbols, tens of microseconds, and all threads of Python wait for the same lock in the same few functions.
//
// Rule: a table of fixed size that is read and written without waiting and may forget, but never gives a name to the
// wrong place. Memory order: an entry is two words, the name and the key it belongs to mixed with the name. A reader
// that meets half of one entry and half of another finds that they do not fit. The text of a name that is kept was put
// into a ring before, so it is in the trace.
#ifndef MTRACE_NAMES_H
#define MTRACE_NAMES_H
#include <stdint.h>

// The name of a lock that is waited for in a place; 0 when it is not known.
uint64_t mt_name_known(const void *lock, const void *waiter);
void mt_name_keep(const void *lock, const void *waiter, uint64_t name);
#endif
