// Rule: the program must get the lowest free descriptor, as open() guarantees. The library's descriptors are just below
// the soft limit, and below 1024, so that a program that closes all descriptors in a loop does not loop longer.
#include "system/descriptor.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

int mt_descriptor_high(int fd) {
  if (fd < 0) return -1;
  struct rlimit limit;
  long top = 1024;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (rlim_t)top) top = (long)limit.rlim_cur;
  for (long base = top - 32; base > fd; base = base / 2) {
    int high = fcntl(fd, F_DUPFD_CLOEXEC, (int)base);
    if (high >= 0) {
      close(fd);
      return high;
    }
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return fd;
}
