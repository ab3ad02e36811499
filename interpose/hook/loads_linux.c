// Linux: mt_loads returns a number that changes every millisecond, so the tracer looks up a missing class at most once
// per millisecond. The tracer cannot be notified of loaded classes: GCC's Objective-C runtime has a single hook for
// that, and it belongs to the program. The dynamic linker's list of libraries cannot be read: a fork may leave its
// lock held in the child. A look-up is cheap, because GCC's runtime takes no lock for it.
#include "hook/loads.h"
#include "core/clock.h"

void mt_loads_start(void) {}

uint64_t mt_loads(void) {
  enum { PAUSE_NANOS = 1000000 };
  return 1 + mt_nanos() / PAUSE_NANOS;
}
