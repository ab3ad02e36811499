// Converts Python strings to UTF-8. Include/cpython/unicodeobject.h explains the three kinds of strings and the bits of
// their state.
#include "stacks/python_text.h"
#include <string.h>
#include "core/utf8.h"

// The bits of a string's state, from the lowest: how it is interned (2 bits), bytes per character (3), compact,
// ASCII.
enum { KIND_SHIFT = 2, KIND_MASK = 7, COMPACT = 1 << 5, ASCII = 1 << 6 };

static uint32_t character(const unsigned char *data, unsigned kind, size_t i) {
  uint16_t two;
  uint32_t four;
  switch (kind) {
  case 1: return data[i];
  case 2: memcpy(&two, data + 2 * i, sizeof two); return two;
  default: memcpy(&four, data + 4 * i, sizeof four); return four;
  }
}

size_t mt_python_text(const struct mt_python_layout *layout, const void *string, char *to, size_t size) {
  uint32_t state;
  int64_t length;
  memcpy(&state, (const char *)string + PY_UNICODE_STATE, sizeof state);
  memcpy(&length, (const char *)string + PY_UNICODE_LENGTH, sizeof length);
  unsigned kind = state >> KIND_SHIFT & KIND_MASK;
  if (!(state & COMPACT) || length <= 0 || (kind != 1 && kind != 2 && kind != 4)) return 0;
  if (state & ASCII) {
    if ((uint64_t)length < size) size = (size_t)length;
    memcpy(to, (const char *)string + layout->unicode_ascii, size);
    return size;
  }
  const unsigned char *data = (const unsigned char *)string + layout->unicode_compact;
  size_t used = 0;
  for (size_t i = 0; i < (uint64_t)length && size - used >= MT_UTF8_LONGEST; i++) used += mt_utf8_put(to + used,
      character(data, kind, i));
  return used;
}
