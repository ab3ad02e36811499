// fork without exec. Rule: the child shares the parent's ring pages and its socket; it must touch neither, and must not
// call Go, of whose threads it has none.
#ifndef MTRACE_FORK_H
#define MTRACE_FORK_H

// Registers the handler, and what is to be done in a child of a process that had not used Metal. posix_spawn and vfork
// do not run it and need not: their child only execs.
void mt_fork_watch(void (*start_over)(void));
#endif
