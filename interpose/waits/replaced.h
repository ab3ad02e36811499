// Checks whether this library can replace the functions that wait for locks and signals. macOS may load the library
// and refuse the replacements.
#ifndef MTRACE_REPLACED_H
#define MTRACE_REPLACED_H
#include <stdbool.h>

// Returns whether the program's calls of the functions that wait for locks and signals reach this library. macOS and
// Linux have their own implementations.
bool mt_waits_replaced(void);

// Warns the user if no wait of this process can be recorded. The constructor calls it once the collector has
// answered.
void mt_waits_check(void);
#endif
