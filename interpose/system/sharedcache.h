// Distinguishes calls of the program and its libraries from calls of Apple's own libraries. macOS only.
#ifndef MTRACE_SHAREDCACHE_H
#define MTRACE_SHAREDCACHE_H
#include <stdbool.h>

// Returns whether an address is in dyld's shared cache, which contains the code of Apple's libraries.
bool mt_in_shared_cache(const void *address);
#endif
