// Texts and other facts, in the second ring of a thread. Rule: a text is named by the hash of its bytes and its bytes are sent once
// per thread, so recording a name again costs a hash and a compare. Publishing is as for records: one release store.
#ifndef MTRACE_TEXT_H
#define MTRACE_TEXT_H
#include <stddef.h>
#include <stdint.h>
#include "hook/objc.h"
#include "core/thread.h"

// Publishes a fact; when there is no room it is counted as dropped. False then.
bool mt_fact(struct thread *t, unsigned kind, unsigned aux, uint64_t key, const char *text, size_t length);

// Appends a fact at the end of a buffer of the given size and returns its new length; the old one when it does not fit.
size_t mt_fact_put(char *buffer, size_t length, size_t size, unsigned kind, uint64_t key, const char *text, size_t text_length);

// The StringID of a text, which is sent when this thread has not lately. 0 for an empty one.
uint64_t mt_text(struct thread *t, const char *text, size_t length);

// The StringID of an NSString's first MT_MAX_FACT_TEXT bytes of UTF-8. 0 for nil.
uint64_t mt_text_of(struct thread *t, id string);

// The StringID of the hexadecimal FNV-1a hash of all of an NSString's UTF-8, whose length is stored in *bytes. 0 for nil.
uint64_t mt_hash_of(struct thread *t, id string, uint64_t *bytes);
#endif
