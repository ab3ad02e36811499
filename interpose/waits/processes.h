// Records waits for child processes. Rule: the system is first asked without waiting, and the clock is read only if
// no child has ended. A call that need not wait, such as one in a SIGCHLD handler, costs one more system call and is
// not recorded. Nothing is recorded in a process that does not use Metal.
#ifndef MTRACE_PROCESSES_H
#define MTRACE_PROCESSES_H
#include <stdint.h>
#include <sys/types.h>

// A wait for a child in progress. program is looked up when the wait begins, while the child still exists.
struct mt_process_wait {
  uint64_t begin;
  unsigned call;
  char program[64];
};

// Begins a wait for a child process in the function with the given frame. process is its id; 0 or a negative value
// means any child or a group. Keeps errno.
void mt_process_wait_begin(struct mt_process_wait *w, unsigned call, pid_t process, const void *frame);

// Records the end of the wait. ended is the id of the child that ended, or 0 if the call failed. Keeps errno.
void mt_process_waited(const struct mt_process_wait *w, pid_t ended);
#endif
