// Waits for child processes. Rule: it is asked without waiting first, and only when no child has ended is the clock
// read; so a call that need not wait, as of a handler of SIGCHLD, costs one system call more and is not recorded. Only
// in a process that uses Metal.
#ifndef MTRACE_PROCESSES_H
#define MTRACE_PROCESSES_H
#include <stdint.h>
#include <sys/types.h>

// A wait in progress. The program is looked up while the child is still there.
struct mt_process_wait {
  uint64_t begin;
  unsigned call;
  char program[64];
};

// The calling thread, in a function with the given frame, is about to wait for a process: its id, or what is no id of
// one. Keeps errno.
void mt_process_wait_begin(struct mt_process_wait *w, unsigned call, pid_t process, const void *frame);

// It has waited: for the process that ended, or failed (0). Keeps errno.
void mt_process_waited(const struct mt_process_wait *w, pid_t ended);
#endif
