// Encodes characters as UTF-8, in which all text is recorded.
#ifndef MTRACE_UTF8_H
#define MTRACE_UTF8_H
#include <stddef.h>
#include <stdint.h>

// Writes a code point as UTF-8 (RFC 3629) to `to`, which must have MT_UTF8_LONGEST bytes of space, and returns the
// length. A lone surrogate or an invalid code point is written as U+FFFD.
enum { MT_UTF8_LONGEST = 4 };
size_t mt_utf8_put(char *to, uint32_t c);
#endif
