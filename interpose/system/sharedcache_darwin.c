// macOS: dyld maps the shared cache before any code of the process runs and never moves it, so its range needs to be
// read only once. The function for that has been exported since macOS 10.13, but no public header declares it (dyld,
// mach-o/dyld_priv.h).
#include "system/sharedcache.h"
#include <stddef.h>
#include <stdint.h>

extern const void *_dyld_get_shared_cache_range(size_t *length) __attribute__((weak_import));

static uintptr_t first;
static size_t length;

__attribute__((constructor)) static void find_range(void) {
  if (_dyld_get_shared_cache_range) first = (uintptr_t)_dyld_get_shared_cache_range(&length);
}

bool mt_in_shared_cache(const void *address) { return first && (uintptr_t)address - first < length; }
