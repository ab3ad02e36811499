// Handles fork without exec. Rule: the child shares the parent's ring pages and socket and must not touch either,
// otherwise its records would mix with the parent's. It must not call Go, whose threads do not exist in the child:
// the call would hang.
#ifndef MTRACE_FORK_H
#define MTRACE_FORK_H

// Registers the fork handler. start_over runs in the child if the parent had not used Metal. posix_spawn and vfork do
// not run the handler, and need not: their child only calls exec.
void mt_fork_watch(void (*start_over)(void));
#endif
