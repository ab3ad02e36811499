// What a program may call itself: include this, or look the functions up in the process, as Python does with ctypes.CDLL(None).
// Without the tracer the symbols are not there; with it they do nothing until Metal is in use.
#ifndef MTRACE_MARKS_H
#define MTRACE_MARKS_H

// Marks a moment on the calling thread.
void mtrace_mark(const char *name);

// Begins a scope on the calling thread, and ends the innermost one. Scopes nest.
void mtrace_scope_begin(const char *name);
void mtrace_scope_end(void);
#endif
