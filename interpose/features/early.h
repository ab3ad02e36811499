// Marks and scopes from before the first Metal call, such as `with scope("train")` around a whole program. There is no
// ring yet, so each thread keeps them in a log, which is replayed into its ring when the thread takes one.
//
// Rule: only its thread writes a log. If the beginning of a scope is in the log, there is space for its end. Events
// that do not fit, and events of threads that never take a ring, are counted as rejected.
#ifndef MTRACE_EARLY_H
#define MTRACE_EARLY_H
#include "core/thread.h"

enum mt_early { MT_EARLY_MARK, MT_EARLY_BEGIN, MT_EARLY_END };

// Logs an event of the calling thread. name is used for marks and beginnings.
void mt_early(enum mt_early kind, const char *name);

// Called when the first Metal call has created the region: counts all logged events as rejected until they are
// replayed.
void mt_early_count(void);

// Replays the log of the calling thread, which has taken a ring.
void mt_early_replay(struct thread *t);

// In the child of a fork: drops the logs, which belong to the parent.
void mt_early_forget(void);
#endif
