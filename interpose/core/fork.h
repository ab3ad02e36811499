// Handles fork without exec. Rule: the child shares the parent's ring pages and socket and must use neither,
// otherwise its records would mix with the parent's. The child must not call Go, either: Go's threads do not exist in
// it, so the call would hang.
#ifndef MTRACE_FORK_H
#define MTRACE_FORK_H

// Registers the fork handler. start_over runs in the child if the parent had not used Metal. posix_spawn and vfork do
// not run the handler. That does no harm, because their child only calls exec.
void mt_fork_watch(void (*start_over)(void));
#endif
