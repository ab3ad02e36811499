// Can the library replace the functions that wait for locks and signals? macOS may load the library and refuse that.
#ifndef MTRACE_REPLACED_H
#define MTRACE_REPLACED_H
#include <stdbool.h>

// Do calls of those functions reach the library? One implementation for each system.
bool mt_waits_replaced(void);

// Tells the collector if no wait of this process can be recorded. In the constructor, once the collector has answered.
void mt_waits_check(void);
#endif
