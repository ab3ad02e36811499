// Writes texts and other facts (information that is not a call) into the second ring of a thread. Rule: a text is
// identified by the hash of its bytes, and each thread sends the bytes only once. So recording a name again costs
// only a hash and a comparison. Facts are published like records: with one release store.
#ifndef MTRACE_TEXT_H
#define MTRACE_TEXT_H
#include <stddef.h>
#include <stdint.h>
#include "core/thread.h"

// Writes a fact into the thread's ring of facts. If there is no space, counts the fact as dropped and returns false.
bool mt_fact(struct thread *t, unsigned kind, unsigned aux, uint64_t key, const char *text, size_t length);

// Returns the StringID (the hash that stands for a text in the trace) of a text, 0 for an empty one. Sends the text
// unless this thread has sent it recently.
uint64_t mt_text(struct thread *t, const char *text, size_t length);
#endif
