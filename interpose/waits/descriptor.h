// Finds the kind, the name and the peer process of a file descriptor for which a thread has waited. Rule: call it
// only after a wait that really blocked, because it takes several system calls. It opens no descriptor and changes no
// state.
#ifndef MTRACE_DESCRIPTOR_KIND_H
#define MTRACE_DESCRIPTOR_KIND_H
#include <stdint.h>
#include "core/thread.h"

struct mt_descriptor {
  uint32_t kind;    // MT_DESCRIPTOR_*
  uint64_t process; // id of the process at the other end; 0 when not known
  uint64_t inode;   // inode number of a pipe
  char name[256];   // path, or address and port; empty when there is none
};

// Describes the descriptor fd in *d; the kind is unknown if fd is negative. t is the calling thread. When the process
// waits for a pipe for the first time, also records which pipes the process can write into, with the time at. at must
// be the end of the wait, because records are in the order of their ends. May change errno.
void mt_descriptor_of(struct thread *t, int fd, uint64_t at, struct mt_descriptor *d);
#endif
