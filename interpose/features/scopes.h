// Marks and scopes as records. Rule: a scope is two: one when it begins, so that it is known when the process ends
// inside it, and one with all of it when it ends. A scope is as deep as the one around it and one more. Scopes deeper
// than the stack holds are counted as dropped, and their ends pair with their beginnings.
#ifndef MTRACE_SCOPES_H
#define MTRACE_SCOPES_H
#include <stddef.h>
#include "core/thread.h"

// The bytes of a name that are recorded: all, or as many whole characters of its UTF-8 as fit. NULL is an empty name.
size_t mt_name_length(const char *name);

void mt_mark(struct thread *t, uint64_t ticks, const char *name);
void mt_scope_begin(struct thread *t, uint64_t ticks, const char *name);
void mt_scope_end(struct thread *t, uint64_t ticks); // the innermost; nothing when none is open

// The same of a scope that another name ends than "the innermost": a key, not 0. Such scopes may overlap. The end of
// one that is not open on this thread does nothing and is false.
void mt_scope_begin_keyed(struct thread *t, uint64_t ticks, const char *name, uint64_t key);
bool mt_scope_end_keyed(struct thread *t, uint64_t ticks, uint64_t key);

// Forgets the thread's open scopes that have ended, as a function says of their keys, and of which that is recorded
// elsewhere.
void mt_scopes_forget(struct thread *t, bool (*ended)(uint64_t key));

// A thread has taken a ring: no scope is open.
void mt_scopes_open(struct thread *t);

// So many scopes are open inside of those that are recorded, which are not.
void mt_scopes_skip(struct thread *t, unsigned count);

// The thread ends inside of its open scopes.
void mt_scopes_end(struct thread *t);
#endif
