// See fact.h.
#include "core/fact.h"
#include <string.h>

size_t mt_fact_put(char *buffer, size_t length, size_t size, unsigned kind, uint64_t key, const char *text,
    size_t text_length) {
  struct fact_header header = mt_fact_header(kind, 0, key, text_length);
  if (header.size > size - length) return length;
  memcpy(buffer + length, &header, MT_FACT_HEADER);
  memcpy(buffer + length + MT_FACT_HEADER, text, text_length);
  memset(buffer + length + MT_FACT_HEADER + text_length, 0, header.size - MT_FACT_HEADER - text_length);
  return length + header.size;
}
