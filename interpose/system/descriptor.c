// Rule: open() gives a program the lowest free descriptor, and programs rely on that. So the library moves its own
// descriptors just below the soft limit, but below 1024. A program that closes all descriptors in a loop, up to the
// highest open one, then does not loop much longer than without the tracer.
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
