// A cache of lock names for all threads of the process. To find a name, the tracer searches a library's symbols, which
// takes tens of microseconds; and the threads of a Python program ask for the same few names all the time.
//
// Rule: the table has a fixed size and no operation on it waits. It may forget a name but never returns a wrong one.
// Memory order: an entry has two words, the name and the exclusive-or of key and name, both relaxed. A reader that sees
// words of two different writes gets a wrong exclusive-or, not its key, and ignores the entry. The text of a cached
// name is already in the trace.
#ifndef MTRACE_NAMES_H
#define MTRACE_NAMES_H
#include <stdint.h>

// mt_name_known returns the cached name of a lock, as a StringID (the hash that stands for a text in the trace); 0 if
// it is not cached. waiter is the address of the code that waits for the lock. mt_name_keep stores the name.
uint64_t mt_name_known(const void *lock, const void *waiter);
void mt_name_keep(const void *lock, const void *waiter, uint64_t name);
#endif
