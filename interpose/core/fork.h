// fork without exec. Rule: the child shares the parent's ring pages and socket and must touch neither. It must not call
// Go, whose threads do not exist in the child.
#ifndef MTRACE_FORK_H
#define MTRACE_FORK_H

// Registers the fork handler and the function to run in a child of a process that had not used Metal. posix_spawn and
// vfork do not run the handler and need not: their child only calls exec.
void mt_fork_watch(void (*start_over)(void));
#endif
