// Creates the shared memory that holds the rings (the threads' buffers of records). Rule: the memory is sparse (pages
// cost nothing until they are written), is left out of core dumps, and must not exhaust the program's limit on
// address space.
#include "core/region.h"
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/shareable.h"

struct region *mt_region;

// The process is not traced unless its limit on address space is at least this many times the size of the shared
// memory. With less space left, the program could later fail to start a thread.
enum { LEAST_SHARE = 3 };

// Maps the shared memory at an address aligned to MT_PAGE_SIZE, the largest page size of any supported system. mmap
// alone aligns only to this system's page size.
static void *map(int fd) {
  char *room = mmap(NULL, MT_REGION_SIZE + MT_PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return MAP_FAILED;
  size_t before = -(uintptr_t)room % MT_PAGE_SIZE;
  char *memory = room + before;
  if (mmap(memory, MT_REGION_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd,
      0) == MAP_FAILED) {
    munmap(room, MT_REGION_SIZE + MT_PAGE_SIZE);
    return MAP_FAILED;
  }
  if (before) munmap(room, before);
  munmap(memory + MT_REGION_SIZE, MT_PAGE_SIZE - before);
  return memory;
}

int mt_region_make(const char **why) {
  struct rlimit limit;
  if (!mt_shareable_fits(MT_REGION_SIZE)) {
    *why = "not traced: the limit on file sizes is below the shared memory's size; raise it with ulimit -f";
    return -1;
  }
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < LEAST_SHARE * (rlim_t)MT_REGION_SIZE) {
    *why = "not traced: the tracer's shared memory would take more than a third of the limit on address space; "
        "raise the limit with ulimit -v";
    return -1;
  }
  int fd = mt_shareable_make(MT_REGION_SIZE);
  if (fd < 0) {
    *why = "not traced: the shared memory could not be created";
    return -1;
  }
  void *memory = map(fd);
  if (memory == MAP_FAILED) {
    *why = "not traced: the shared memory could not be mapped; raise the limit on address space with ulimit -v";
    close(fd);
    return -1;
  }
#ifdef __linux__
  madvise(memory, MT_REGION_SIZE, MADV_DONTDUMP);
#endif
  struct region *region = memory;
  region->version = MT_WIRE_VERSION;
  region->pid = (uint32_t)getpid();
  region->clock_kind = mt_clock_kind;
  mt_clock_timebase(&region->timebase_numerator, &region->timebase_denominator);
  region->first_ticks = mt_clock_first.ticks;
  region->first_nanos = mt_clock_first.nanos;
  mt_clock_sample_into(region);
  region->magic = MT_REGION_MAGIC;
  mt_region = region;
  return fd;
}
