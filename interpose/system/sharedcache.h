// Whose call was it: one of the program's and its libraries', or one of Apple's own? macOS only.
#ifndef MTRACE_SHAREDCACHE_H
#define MTRACE_SHAREDCACHE_H
#include <stdbool.h>

// Is an address in the shared cache, which holds the code of Apple's libraries?
bool mt_in_shared_cache(const void *address);
#endif
