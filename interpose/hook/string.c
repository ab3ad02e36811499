// Reads Objective-C strings (string.h). Rule: strings are read with getCharacters:range: into the stack, because that
// allocates and autoreleases nothing.
#include "hook/string.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "core/fact.h"
#include "core/text.h"
#include "core/utf8.h"

enum { CHUNK = 1024 };

typedef void (*get_characters)(id, SEL, uint16_t *, NSRange);

// Copies characters of string from *range to buffer, as UTF-8: as many whole characters as fit. Returns the number of
// bytes, and reduces *range to the characters that were not copied. It reads UTF-16, which every string class
// provides; GNUstep's strings lack getBytes:.
static size_t read_utf8(id string, NSRange *range, char *buffer, size_t size) {
  enum { UNITS = 128 };
  static const char selector[] = "getCharacters:range:";
  get_characters method = (get_characters)mt_implementation(string, selector);
  if (!method) {
    range->length = 0;
    return 0;
  }
  size_t used = 0;
  uint16_t units[UNITS];
  for (bool full = false; range->length > 0 && !full;) {
    NSUInteger n = range->length < UNITS ? range->length : UNITS, i = 0;
    method(string, mt_selector(selector), units, (NSRange){range->location, n});
    while (i < n) {
      uint32_t c = units[i];
      bool high = c >= 0xd800 && c < 0xdc00, low_here = high && i + 1 < n && units[i + 1] >= 0xdc00 &&
          units[i + 1] < 0xe000;
      // a surrogate pair is split between two reads: stop before it, so that the next read gets both halves
      if (high && i + 1 == n && n < range->length && i > 0) break;
      if (low_here) c = 0x10000 + ((c - 0xd800) << 10) + (units[i + 1] - 0xdc00u);
      char character[MT_UTF8_LONGEST];
      size_t bytes = mt_utf8_put(character, c);
      if ((full = bytes > size - used)) break;
      memcpy(buffer + used, character, bytes);
      used += bytes;
      i += low_here ? 2 : 1;
    }
    range->location += i;
    range->length -= i;
  }
  return used;
}

uint64_t mt_text_of(struct thread *t, id string) {
  if (!string) return 0;
  int saved = errno;
  char buffer[MT_MAX_FACT_TEXT];
  NSRange range = {0, mt_send_integer(string, "length")};
  uint64_t name = mt_text(t, buffer, read_utf8(string, &range, buffer, sizeof buffer));
  errno = saved;
  return name;
}

uint64_t mt_hash_of(struct thread *t, id string, uint64_t *bytes) {
  *bytes = 0;
  if (!string) return 0;
  int saved = errno;
  char buffer[CHUNK], text[17];
  uint64_t hash = MT_FNV_START;
  for (NSRange range = {0, mt_send_integer(string, "length")}; range.length > 0;) {
    size_t n = read_utf8(string, &range, buffer, sizeof buffer);
    if (n == 0) break;
    hash = mt_fnv(hash, buffer, n);
    *bytes += n;
  }
  snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
  uint64_t name = mt_text(t, text, 16);
  errno = saved;
  return name;
}
