// Marks and scopes as records. Rule: a scope has two records: one when it begins, so that it is visible if the process
// ends inside it, and a complete one when it ends. A scope's depth is that of the enclosing scope plus one. Scopes
// deeper than the stack holds are counted as dropped, and their ends are matched with their beginnings.
#ifndef MTRACE_SCOPES_H
#define MTRACE_SCOPES_H
#include <stddef.h>
#include "core/thread.h"

// Returns the number of bytes of a name that are recorded: all, or as many as whole UTF-8 characters fit. A NULL name
// is empty.
size_t mt_name_length(const char *name);

void mt_mark(struct thread *t, uint64_t ticks, const char *name);
void mt_scope_begin(struct thread *t, uint64_t ticks, const char *name);
void mt_scope_end(struct thread *t, uint64_t ticks); // ends the innermost scope; does nothing when none is open

// Begin and end a scope that is ended by a key (not 0) and not in nesting order. Such scopes may overlap. The end
// returns false if no scope with the key is open on this thread.
void mt_scope_begin_keyed(struct thread *t, uint64_t ticks, const char *name, uint64_t key);
bool mt_scope_end_keyed(struct thread *t, uint64_t ticks, uint64_t key);

// Drops the thread's open scopes for which ended(key) is true: another thread has ended and recorded them.
void mt_scopes_forget(struct thread *t, bool (*ended)(uint64_t key));

// Called when a thread has taken a ring: no scope is open.
void mt_scopes_open(struct thread *t);

// Notes that count unrecorded scopes are open inside the recorded ones.
void mt_scopes_skip(struct thread *t, unsigned count);

// The thread ends inside its open scopes.
void mt_scopes_end(struct thread *t);
#endif
