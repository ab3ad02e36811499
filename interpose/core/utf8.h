// Text as it is recorded.
#ifndef MTRACE_UTF8_H
#define MTRACE_UTF8_H
#include <stddef.h>
#include <stdint.h>

// Writes a code point as UTF-8 (RFC 3629) and returns its length. Half a surrogate pair and an invalid code point
// become U+FFFD.
enum { MT_UTF8_LONGEST = 4 };
size_t mt_utf8_put(char *to, uint32_t c);
#endif
