// Records marks and scopes. Rule: a scope has two records: one when it begins, so that it is visible if the process
// ends inside it, and a complete one when it ends. A scope's depth is the enclosing scope's depth plus one. Scopes
// nested too deep are counted as dropped. Their ends are counted, too: otherwise they would be mistaken for the ends
// of outer scopes.
#ifndef MTRACE_SCOPES_H
#define MTRACE_SCOPES_H
#include <stddef.h>
#include "core/thread.h"

// Returns how many bytes of a name are recorded: all, or at most MT_MAX_FACT_TEXT, cut at a whole UTF-8 character. 0
// for NULL.
size_t mt_name_length(const char *name);

void mt_mark(struct thread *t, uint64_t ticks, const char *name);
void mt_scope_begin(struct thread *t, uint64_t ticks, const char *name);
void mt_scope_end(struct thread *t, uint64_t ticks); // ends the innermost scope; does nothing when none is open

// Begin and end a scope that is identified by a key (not 0) instead of its nesting, so that such scopes may overlap.
// mt_scope_end_keyed returns false if no scope with the key is open on this thread.
void mt_scope_begin_keyed(struct thread *t, uint64_t ticks, const char *name, uint64_t key);
bool mt_scope_end_keyed(struct thread *t, uint64_t ticks, uint64_t key);

// Drops the thread's open scopes for whose keys the function `ended` returns true: another thread has ended and
// recorded them, so this thread must not record them again.
void mt_scopes_forget(struct thread *t, bool (*ended)(uint64_t key));

// Called when a thread has taken a ring (a buffer for its records). An earlier thread may have used the ring, so this
// resets its state: the new thread has no open scope.
void mt_scopes_open(struct thread *t);

// Notes that the thread's innermost `count` open scopes were not recorded, so that their ends are ignored, too.
void mt_scopes_skip(struct thread *t, unsigned count);

// Called when the thread ends: ends and records all scopes that it has begun and not ended. A scope is a named
// stretch of the program's code, which the program begins and ends through marks.h or a signpost.
void mt_scopes_end(struct thread *t);
#endif
