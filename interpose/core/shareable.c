// See shareable.h.
#include "core/shareable.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "system/descriptor.h"

#ifdef __linux__
static int memory(void) { return memfd_create("mtrace", MFD_CLOEXEC | MFD_ALLOW_SEALING); }
static void seal(int fd) { fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL); }
#else
static int memory(void) {
  char name[32];
  snprintf(name, sizeof name, "/mtrace.%d", (int)getpid());
  shm_unlink(name); // left by a process with the same id that died between shm_open and shm_unlink
  int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd >= 0) shm_unlink(name);
  return fd;
}
static void seal(int fd) { (void)fd; }
#endif

bool mt_shareable_fits(size_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= size;
}

int mt_shareable_make(size_t size) {
  if (!mt_shareable_fits(size)) return -1;
  int fd = mt_descriptor_high(memory());
  if (fd >= 0 && ftruncate(fd, (off_t)size) != 0) {
    close(fd);
    return -1;
  }
  if (fd >= 0) seal(fd);
  return fd;
}
