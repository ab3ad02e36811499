// Texts and other facts, in the second ring of a thread. Rule: a text is named by the hash of its bytes and its bytes
// are sent once per thread, so recording a name again costs a hash and a compare. Publishing is as for records: one
// release store.
#ifndef MTRACE_TEXT_H
#define MTRACE_TEXT_H
#include <stddef.h>
#include <stdint.h>
#include "core/thread.h"

// Publishes a fact; when there is no room it is counted as dropped. False then.
bool mt_fact(struct thread *t, unsigned kind, unsigned aux, uint64_t key, const char *text, size_t length);

// The StringID of a text, which is sent when this thread has not lately. 0 for an empty one.
uint64_t mt_text(struct thread *t, const char *text, size_t length);
#endif
