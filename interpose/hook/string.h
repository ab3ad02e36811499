// Records the program's NSStrings as texts of the trace (core/text.h).
#ifndef MTRACE_STRING_H
#define MTRACE_STRING_H
#include <stdint.h>
#include "hook/objc.h"

struct thread;

// Returns the StringID (the hash that stands for a text in the trace) of an NSString, cut at MT_MAX_FACT_TEXT bytes
// of UTF-8; 0 for nil.
uint64_t mt_text_of(struct thread *t, id string);

// Identifies a long string, such as a source, by its hash instead of its text: the FNV-1a hash of the whole string's
// UTF-8, as a text of hexadecimal digits. Returns the StringID of that text, 0 for nil. Stores the length of the
// UTF-8 in *bytes.
uint64_t mt_hash_of(struct thread *t, id string, uint64_t *bytes);
#endif
