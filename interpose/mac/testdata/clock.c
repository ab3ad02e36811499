// The clock, with the ticks of Apple silicon and with those of Intel: what the shared memory says of it turns ticks into nanoseconds.
#include <string.h>
#include "core/clock.h"
#include "check.h"

int main(int argc, char **argv) {
  CHECK(argc == 3);
  uint32_t numerator = (uint32_t)atoi(argv[1]), denominator = (uint32_t)atoi(argv[2]), got[2];
  mt_clock_timebase(&got[0], &got[1]);
  CHECK(got[0] == numerator && got[1] == denominator);
  bool forced = getenv("MTRACE_CLOCK") != NULL;
  CHECK(MTLCreateSystemDefaultDevice() && mt_region);
  CHECK(mt_region->clock_kind == (forced ? MT_CLOCK_NANOSECONDS : MT_CLOCK_MACH) && mt_clock_kind == mt_region->clock_kind);
  CHECK(mt_region->timebase_numerator == numerator && mt_region->timebase_denominator == denominator);
  struct mt_clock_sample first = mt_clock_first;
  pause_ms(30);
  struct mt_clock_sample now = mt_clock_sample();
  if (forced) numerator = denominator = 1;
  int64_t by_ticks = (int64_t)((now.ticks - first.ticks) * numerator / denominator), by_nanos = now.nanos - first.nanos, apart = by_ticks - by_nanos;
  CHECK(by_nanos >= 30000000 && apart < 1000000 && apart > -1000000); // with another timebase they were 29 ms apart at least
  CHECK(mt_nanos() >= (uint64_t)now.nanos && mt_ticks() >= now.ticks);
  puts("ok");
  return 0;
}
