// See gosignals.c.
#ifndef MTRACE_GOSIGNALS_H
#define MTRACE_GOSIGNALS_H

// Keeps Go's own threads from unblocking signals. Call it before the runtime starts. False when the runtime's tables were not
// found: then its threads can take SIGCHLD and its like from the program.
int mt_gosignals_block(void);
#endif
