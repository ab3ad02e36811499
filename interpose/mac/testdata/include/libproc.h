// What Apple's header has of processes.
//
// Rule, of libproc's libproc.c: a process's name, cut to fit, and its length; 0 of one that is not there. Of a pipe, by xnu's
// bsd/kern/sys_pipe.c, each end has a handle and knows the other's; 0 is returned for a descriptor of another kind, a FIFO among them.
#ifndef FAKE_LIBPROC_H
#define FAKE_LIBPROC_H
#include <stdint.h>

int proc_name(int process, void *name, uint32_t size);

struct pipe_info {
  uint64_t pipe_handle, pipe_peerhandle;
};
struct pipe_fdinfo {
  struct pipe_info pipeinfo;
};
enum { PROC_PIDFDPIPEINFO = 6 };
int proc_pidfdinfo(int process, int fd, int flavor, void *buffer, int size);
#endif
