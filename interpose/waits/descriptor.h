// The kind, name and peer process of a file descriptor at which a thread has waited. Rule: looked up only after a
// wait that really blocked, by calls that open no descriptor and change no state.
#ifndef MTRACE_DESCRIPTOR_KIND_H
#define MTRACE_DESCRIPTOR_KIND_H
#include <stdint.h>
#include "core/thread.h"

struct mt_descriptor {
  uint32_t kind;    // MT_DESCRIPTOR_*
  uint64_t process; // at the other end; 0 when not known
  uint64_t inode;   // of a pipe
  char name[256];   // path, or address and port; empty when there is none
};

// Describes a descriptor; a negative one is unknown. The calling thread has the ring t. When the process waits at a
// pipe for the first time, the function also records which pipes the process can write into, at the tick at, the end of
// the wait: records are in the order of their ends. May change errno.
void mt_descriptor_of(struct thread *t, int fd, uint64_t at, struct mt_descriptor *d);
#endif
