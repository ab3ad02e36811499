// --gputrace: Metal's own capture of a scope, or of the time after a mark, as a document that Xcode opens.
//
// Rule: a capture begins and ends where the program sets a mark or a scope, which is outside of any Metal call:
// stopping it inside a commit would deadlock. There is at most one capture in a process. A separate thread ends a
// capture that exceeds the time limit. The capture contains the command buffers committed on the device on which the
// program created its first queue.
#ifndef MTRACE_CAPTURE_H
#define MTRACE_CAPTURE_H
#include "hook/objc.h"

struct thread;

// Reads the options: MTRACE_GPUTRACE (scope:NAME or mark:NAME), MTRACE_GPUTRACE_OUT (the beginning of the path), and
// MTRACE_GPUTRACE_LIMIT_MS.
void mt_capture_start(void);

// Called before a queue is created: the device of the first queue is the device to capture.
void mt_capture_see(id device);

// What the program says.
void mt_capture_mark(struct thread *t, const char *name);
void mt_capture_scope_begins(struct thread *t, const char *name);
void mt_capture_scope_ends(struct thread *t);
#endif
