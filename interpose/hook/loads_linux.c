// Linux: GCC's runtime has one place for a function that is called for classes, which is the program's, and the dynamic
// linker's list is behind a lock that a fork may leave taken. So a look is due now and then. It costs little here:
// GCC's runtime looks classes up without a lock.
#include "hook/loads.h"
#include "core/clock.h"

void mt_loads_start(void) {}

uint64_t mt_loads(void) {
  enum { PAUSE_NANOS = 1000000 };
  return 1 + mt_nanos() / PAUSE_NANOS;
}
