// Waits for child processes. Rule: the system is first asked without waiting, and the clock is read only if no child
// has ended. A call that need not wait, such as one in a handler of SIGCHLD, costs one more system call and is not
// recorded. Only in a process that uses Metal.
#ifndef MTRACE_PROCESSES_H
#define MTRACE_PROCESSES_H
#include <stdint.h>
#include <sys/types.h>

// A wait in progress. The program's name is looked up while the child still exists.
struct mt_process_wait {
  uint64_t begin;
  unsigned call;
  char program[64];
};

// The calling thread, in a function with the given frame, is about to wait for a process: its id, or a value that is no
// process id. Keeps errno.
void mt_process_wait_begin(struct mt_process_wait *w, unsigned call, pid_t process, const void *frame);

// The wait is over: for the process ended, or it failed (0). Keeps errno.
void mt_process_waited(const struct mt_process_wait *w, pid_t ended);
#endif
