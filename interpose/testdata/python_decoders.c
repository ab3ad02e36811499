// The decoders of what Python keeps, for fuzzing: it is built with the sanitizers and answers requests on standard input. What it
// decodes lies in memory of exactly its size.
//
// A request is a byte, 'l' or 't', and a length u32 of what follows. 'l': format u8, first line i64, instruction i64, then the
// table; the answer is the line, u32. 't': bytes per character u8 (0 stands for ASCII), size of the buffer u32, then the
// characters; the answer is a length u32 and the UTF-8.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "stacks/python_lines.h"
#include "stacks/python_text.h"

static void need(void *to, size_t size) {
  if (fread(to, 1, size, stdin) != size) exit(feof(stdin) ? 0 : 1);
}

static void answer(const void *bytes, size_t size) {
  if (fwrite(bytes, 1, size, stdout) != size || fflush(stdout) != 0) exit(1);
}

static void line(size_t size) {
  uint8_t format;
  int64_t first, at;
  need(&format, 1), need(&first, 8), need(&at, 8);
  size -= 17;
  uint8_t *table = malloc(size ? size : 1);
  need(table, size);
  uint32_t found = mt_python_line(format, table, size, first, at);
  free(table);
  answer(&found, 4);
}

static void text(size_t size) {
  static const struct mt_python_layout layout = {.unicode_ascii = 40, .unicode_compact = 56};
  uint8_t kind;
  uint32_t room;
  need(&kind, 1), need(&room, 4);
  size -= 5;
  size_t header = kind == 0 ? layout.unicode_ascii : layout.unicode_compact;
  char *object = calloc(1, header + size), *to = malloc(room ? room : 1);
  need(object + header, size);
  uint64_t length = size / (kind ? kind : 1);
  uint32_t state = (kind ? kind : 1u) << 2 | 1 << 5 | (kind == 0) << 6;
  memcpy(object + PY_UNICODE_LENGTH, &length, 8);
  memcpy(object + PY_UNICODE_STATE, &state, 4);
  uint32_t written = (uint32_t)mt_python_text(&layout, object, to, room);
  answer(&written, 4), answer(to, written);
  free(object), free(to);
}

int main(void) {
  for (;;) {
    uint8_t what;
    uint32_t size;
    need(&what, 1), need(&size, 4);
    if (what == 'l') line(size);
    else text(size);
  }
}
