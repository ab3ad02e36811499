// Keeps marks and scopes from before the first Metal call, such as `with scope("train")` around a whole program. At
// that time a thread has no ring (no buffer of records in shared memory). The thread keeps the events in a log, and
// replays the log into its ring as soon as it has one.
//
// Rule: only its own thread writes a log. A scope's beginning is logged only if there is space for its end, too.
// Events that do not fit, and events of threads that never take a ring, are counted as rejected.
#ifndef MTRACE_EARLY_H
#define MTRACE_EARLY_H
#include "core/thread.h"

enum mt_early { MT_EARLY_MARK, MT_EARLY_BEGIN, MT_EARLY_END };

// Logs a mark, or the beginning or end of a scope, of the calling thread. name is ignored for the end of a scope.
void mt_early(enum mt_early kind, const char *name);

// Called when the first Metal call has created the shared memory: counts all logged marks and scopes as rejected.
// mt_early_replay subtracts those that it replays.
void mt_early_count(void);

// Writes the logged marks and scopes of the calling thread into the ring (a buffer for records) that it has just taken.
void mt_early_replay(struct thread *t);

// Called in the child of a fork: drops the logged marks and scopes, because the parent reports them.
void mt_early_forget(void);
#endif
