// Describes file descriptors on macOS.
//
// The two ends of a pipe are two objects of the kernel; each reports its own handle and that of its peer
// (bsd/kern/sys_pipe.c, fill_pipeinfo). The inode that fstat returns differs between the ends, so it cannot identify
// a pipe. A FIFO is a file, with the same inode at both ends. A kqueue looks like a pipe with inode 0
// (bsd/kern/kern_event.c, kqueue_stat).
#include "waits/descriptorfacts.h"
#include <fcntl.h>
#include <libproc.h>
#include <stdio.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "wire.h"

void mt_fact_path(int fd, char *path, size_t size) {
  char whole[MAXPATHLEN] = ""; // F_GETPATH writes up to MAXPATHLEN bytes
  snprintf(path, size, "%s",
      fcntl(fd, F_GETPATH, whole) == 0 ? whole : "");
}

uint64_t mt_fact_peer(int fd) {
  pid_t peer;
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, &peer, &size) == 0 && peer > 0 ? (uint64_t)peer : 0;
}

uint64_t mt_fact_pipe(int fd, const struct stat *s) {
  struct pipe_fdinfo info;
  int got = proc_pidfdinfo(getpid(), fd, PROC_PIDFDPIPEINFO, &info, sizeof info);
  if (got != (int)sizeof info) return (uint64_t)s->st_ino;
  return info.pipeinfo.pipe_handle ^ info.pipeinfo.pipe_peerhandle;
}

uint32_t mt_fact_other(int fd) {
  (void)fd;
  return MT_DESCRIPTOR_OTHER;
}
