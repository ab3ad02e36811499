// --gputrace: lets Metal capture the program's GPU work during a scope or after a mark, into a document that Xcode
// opens.
//
// Rule: a capture begins and ends where the program sets a mark or a scope, because that is outside of any Metal
// call: stopping a capture inside a commit would deadlock. A process makes at most one capture. A separate thread
// ends a capture that exceeds the time limit. The capture contains the command buffers committed on one device: the
// device on which the program created its first queue.
#ifndef MTRACE_CAPTURE_H
#define MTRACE_CAPTURE_H
#include "hook/objc.h"

struct thread;

// Reads the options: MTRACE_GPUTRACE (scope:NAME or mark:NAME), MTRACE_GPUTRACE_OUT (the beginning of the document's
// path), and MTRACE_GPUTRACE_LIMIT_MS.
void mt_capture_start(void);

// Called before a queue is created. The device of the program's first queue is the device to capture.
void mt_capture_see(id device);

// Called when the program sets a mark, begins a scope or ends one: starts or ends the capture if the name is the
// requested one.
void mt_capture_mark(struct thread *t, const char *name);
void mt_capture_scope_begins(struct thread *t, const char *name);
void mt_capture_scope_ends(struct thread *t);
#endif
