// The state of tracing in this process, and its one-way door.
#ifndef MTRACE_PROCESS_H
#define MTRACE_PROCESS_H
#include <stdatomic.h>
#include <stdbool.h>

enum mt_state {
  MT_OFF,    // no collector was named, or it does not answer: the library does nothing
  MT_READY,  // connected; no Metal call yet
  MT_ACTIVE, // Metal is in use and recorded
  MT_FAILED, // something of ours failed: the program runs untraced
  MT_FORKED  // a child, without exec, of a process that was active: it runs untraced
};

extern _Atomic int mt_state;

// True when Metal calls are to be recorded; the first caller makes that so, at the first Metal call, and others wait for it.
bool mt_activate(void);

// For fork.c: in a child of a process that was only ready, which starts over.
void mt_process_reset(void);
#endif
