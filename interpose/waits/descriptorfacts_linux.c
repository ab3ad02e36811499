// Describes file descriptors on Linux. The facts are read from links in /proc/self/fd, which needs no descriptor.
#include "waits/descriptorfacts.h"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "wire.h"

void mt_fact_path(int fd, char *path, size_t size) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, size - 1);
  path[n > 0 ? n : 0] = 0;
}

uint64_t mt_fact_peer(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0 ? (uint64_t)peer.pid : 0;
}

uint64_t mt_fact_pipe(int fd, const struct stat *s) {
  (void)fd;
  return (uint64_t)s->st_ino;
}

uint32_t mt_fact_other(int fd) {
  char path[64];
  mt_fact_path(fd, path, sizeof path);
  if (strcmp(path, "anon_inode:[eventfd]") == 0) return MT_DESCRIPTOR_EVENT;
  return strcmp(path, "anon_inode:[timerfd]") == 0 ? MT_DESCRIPTOR_TIMER : MT_DESCRIPTOR_OTHER;
}
