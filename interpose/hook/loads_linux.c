// Linux: the number changes at intervals, so that the tracer looks up the classes then. It cannot be notified of loaded
// classes: GCC's runtime has a single hook for that, which belongs to the program. The dynamic linker's list is
// protected by a lock that a fork may leave held. Looking up costs little, because GCC's runtime does it without a
// lock.
#include "hook/loads.h"
#include "core/clock.h"

void mt_loads_start(void) {}

uint64_t mt_loads(void) {
  enum { PAUSE_NANOS = 1000000 };
  return 1 + mt_nanos() / PAUSE_NANOS;
}
