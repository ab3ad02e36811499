// The state of tracing in this process.
//
// Memory order: it is stored with release after all that it promises exists, and loaded with acquire by mt_activate,
// which every thread passes before its first record.
#ifndef MTRACE_STATE_H
#define MTRACE_STATE_H
#include <stdatomic.h>
#include "system/hidden.h"

enum mt_state {
  MT_OFF,    // no collector was named, or it does not answer: the library does nothing
  MT_READY,  // connected; no Metal call yet
  MT_ACTIVE, // Metal is in use and recorded
  MT_FAILED, // something of ours failed: the program runs untraced
  MT_FORKED  // a child, without exec, of a process that was active: it runs untraced
};

extern MT_HIDDEN _Atomic int mt_state;

// Counts this child of a fork, once, at its first Metal call: a child that only execs loses nothing and is not counted.
void mt_state_count_fork(void);

// In the child of a fork: it is not counted yet.
void mt_state_forked(void);
#endif
