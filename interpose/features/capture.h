// --gputrace: Metal's own capture of a scope, or of what follows a mark, as a document that Xcode opens.
//
// Rule: a capture begins and ends where the program says a mark or a scope, which is outside of any call of Metal's:
// stopped inside of a commit it would wait for itself. There is one in a process. A thread of its own ends it when it
// has been continuing for too long. What is captured is what is committed to command buffers of the device on which the
// program made its first queue.
#ifndef MTRACE_CAPTURE_H
#define MTRACE_CAPTURE_H
#include "hook/objc.h"

struct thread;

// Reads what is requested: MTRACE_GPUTRACE, scope:NAME or mark:NAME; MTRACE_GPUTRACE_OUT, how its path begins;
// MTRACE_GPUTRACE_LIMIT_MS.
void mt_capture_start(void);

// Before a queue is made: that is the device to capture.
void mt_capture_see(id device);

// What the program says.
void mt_capture_mark(struct thread *t, const char *name);
void mt_capture_scope_begins(struct thread *t, const char *name);
void mt_capture_scope_ends(struct thread *t);
#endif
