// See images.h.
#include "stacks/images.h"
#include <stdio.h>
#include <string.h>
#include "core/fact.h"

size_t mt_image_put(char *buffer, size_t length, size_t size, uint64_t start, uint64_t bytes, const uint8_t *id,
    size_t id_length, const char *path) {
  enum { LONGEST_ID = 32 };
  char text[MT_MAX_FACT_TEXT];
  int n = snprintf(text, sizeof text, "%llx ", (unsigned long long)bytes);
  if (id_length == 0 || id_length > LONGEST_ID) n += snprintf(text + n, sizeof text - (size_t)n, "-");
  for (size_t i = 0; i < id_length && id_length <= LONGEST_ID; i++) n += snprintf(text + n, sizeof text - (size_t)n,
      "%02x", id[i]);
  n += snprintf(text + n, sizeof text - (size_t)n, " %s", path);
  if (n >= (int)sizeof text) return length; // the path was cut off: record nothing
  return mt_fact_put(buffer, length, size, MT_FACT_IMAGE, start, text, (size_t)n);
}
