// The state of the tracing in this process.
//
// Memory order: a state is stored with release after everything exists that the state promises, such as the rings
// (the threads' buffers of records in shared memory). mt_activate, which every thread calls before its first record,
// loads the state with acquire; otherwise a thread could use a ring whose memory it does not see yet.
#ifndef MTRACE_STATE_H
#define MTRACE_STATE_H
#include <stdatomic.h>
#include "system/hidden.h"

enum mt_state {
  MT_OFF,    // no collector was named, or it does not answer: the library does nothing
  MT_READY,  // connected; no Metal call yet
  MT_ACTIVE, // Metal is in use and recorded
  MT_FAILED, // the tracer failed: the program runs untraced
  MT_FORKED  // a child, without exec, of an active process: it runs untraced
};

extern MT_HIDDEN _Atomic int mt_state;

// Counts this untraced child of a fork once, at its first Metal call, so that the report mentions the child. A child
// that only calls exec has nothing to record and is not counted.
void mt_state_count_fork(void);

// Called in the child of a fork: this child is not counted yet, even if its parent was.
void mt_state_forked(void);
#endif
