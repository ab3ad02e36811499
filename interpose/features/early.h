// Marks and scopes from before the first Metal call: `with scope("train")` around all that a program does. There is no
// ring yet, so they wait in a log of their thread, which is replayed into its ring when it takes one.
//
// Rule: a log is only its thread's, and has room for the end of every scope whose beginning is in it. What does not
// fit, and what threads leave behind that never take a ring, is counted as rejected.
#ifndef MTRACE_EARLY_H
#define MTRACE_EARLY_H
#include "core/thread.h"

enum mt_early { MT_EARLY_MARK, MT_EARLY_BEGIN, MT_EARLY_END };

// Notes an event of the calling thread. Name is for marks and beginnings.
void mt_early(enum mt_early kind, const char *name);

// When the first Metal call has made the region: counts what has been noted as rejected, until it is replayed.
void mt_early_count(void);

// Replays what the calling thread, which has taken a ring, noted.
void mt_early_replay(struct thread *t);

// In the child of a fork: what was noted is the parent's.
void mt_early_forget(void);
#endif
