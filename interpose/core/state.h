// The state of tracing in this process.
//
// Memory order: a state is stored with release after everything that the state promises exists. mt_activate, which
// every thread calls before its first record, loads the state with acquire.
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

// Counts this child of a fork, once, at its first Metal call. A child that only calls exec loses nothing and is not
// counted.
void mt_state_count_fork(void);

// In the child of a fork: notes that the child is not counted yet.
void mt_state_forked(void);
#endif
