// Keeps the threads of the Go half of this library from receiving the program's signals.
#ifndef MTRACE_GOSIGNALS_H
#define MTRACE_GOSIGNALS_H

// Keeps Go's own threads from unblocking the program's signals. Call it before Go's runtime starts.
void mt_gosignals_block(void);
#endif
