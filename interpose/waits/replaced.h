// Checks whether this library can replace the functions that wait for locks and signals. macOS may load the library
// and refuse the replacements.
#ifndef MTRACE_REPLACED_H
#define MTRACE_REPLACED_H
#include <stdbool.h>

// Returns whether calls of those functions reach this library. Each system has its own implementation.
bool mt_waits_replaced(void);

// Warns the user if no wait of this process can be recorded. The constructor calls it once the collector has
// answered.
void mt_waits_check(void);
#endif
