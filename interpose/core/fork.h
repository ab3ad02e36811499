// fork without exec. Rule: the child shares the parent's ring pages and its socket; it must touch neither, and must not call Go,
// of whose threads it has none.
#ifndef MTRACE_FORK_H
#define MTRACE_FORK_H

// Registers the handler. posix_spawn and vfork do not run it and need not: their child only execs.
void mt_fork_watch(void);

// Counts this child, once, at its first Metal call: a child that only execs loses nothing and is not counted.
void mt_fork_count_once(void);
#endif
