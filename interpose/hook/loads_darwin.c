// macOS: the Objective-C runtime calls our function `loaded` after it has read the classes of an image (a library or
// executable). The runtime holds its lock then, so the function only counts: any call of the runtime could deadlock.
#include "hook/loads.h"
#include <stdatomic.h>

struct mach_header;
extern void objc_addLoadImageFunc(void (*loaded)(const struct mach_header *header));

static _Atomic uint64_t loads;

static void loaded(const struct mach_header *header) {
  (void)header;
  atomic_fetch_add_explicit(&loads, 1, memory_order_release);
}

void mt_loads_start(void) { objc_addLoadImageFunc(loaded); }

uint64_t mt_loads(void) { return atomic_load_explicit(&loads, memory_order_acquire); }
