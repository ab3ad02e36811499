// Encodes facts (information that is not a call, such as names, labels and stacks) as bytes. collector/wire/fact.go
// defines the layout and must agree.
#ifndef MTRACE_FACT_H
#define MTRACE_FACT_H
#include <stddef.h>
#include <stdint.h>
#include "wire.h"

enum { MT_FACT_HEADER = 24 };
struct fact_header {
  uint32_t size;
  uint16_t kind, aux;
  uint64_t key;
  uint32_t length, zero;
};
_Static_assert(sizeof(struct fact_header) == MT_FACT_HEADER, "fact header");

static inline struct fact_header mt_fact_header(unsigned kind, unsigned aux, uint64_t key, size_t length) {
  return (struct fact_header){.size = (uint32_t)(MT_FACT_HEADER + length + 7) & ~7u, .kind = (uint16_t)kind,
      .aux = (uint16_t)aux, .key = key, .length = (uint32_t)length};
}

// Continues the 64-bit FNV-1a hash of a text. The collector computes the same hash: if only one of the two is
// changed, no reference to a text works.
#define MT_FNV_START 14695981039346656037ull
static inline uint64_t mt_fnv(uint64_t hash, const char *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)bytes[i]) * 1099511628211ull;
  return hash;
}

// Appends a fact to buffer, which holds length bytes and has room for size. Returns the new length, or the old length
// if the fact does not fit.
size_t mt_fact_put(char *buffer, size_t length, size_t size, unsigned kind, uint64_t key, const char *text,
    size_t text_length);
#endif
