// Facts and NSStrings. Rule: strings are read with getCharacters:range: into the stack, which allocates and autoreleases nothing.
#include "core/text.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "core/room.h"
#include "core/utf8.h"

enum { FACT_HEADER = 24, CHUNK = 1024 };

struct fact_header {
  uint32_t size;
  uint16_t kind, aux;
  uint64_t key;
  uint32_t length, zero;
};
_Static_assert(sizeof(struct fact_header) == FACT_HEADER, "fact header");

// The 64-bit FNV-1a of the wire: collector/wire/fact.go.
static const uint64_t fnv_start = 14695981039346656037ull;
static uint64_t fnv(uint64_t hash, const char *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)bytes[i]) * 1099511628211ull;
  return hash;
}

static void put(struct ring *ring, uint64_t position, const void *bytes, size_t length) {
  size_t at = position & (MT_FACTS_PER_RING - 1), first = MT_FACTS_PER_RING - at;
  if (first > length) first = length;
  memcpy(ring->facts + at, bytes, first);
  memcpy(ring->facts, (const char *)bytes + first, length - first);
}

static struct fact_header header_of(unsigned kind, unsigned aux, uint64_t key, size_t length) {
  return (struct fact_header){.size = (uint32_t)(FACT_HEADER + length + 7) & ~7u, .kind = (uint16_t)kind, .aux = (uint16_t)aux, .key = key, .length = (uint32_t)length};
}

size_t mt_fact_put(char *buffer, size_t length, size_t size, unsigned kind, uint64_t key, const char *text, size_t text_length) {
  struct fact_header header = header_of(kind, 0, key, text_length);
  if (header.size > size - length) return length;
  memcpy(buffer + length, &header, FACT_HEADER);
  memcpy(buffer + length + FACT_HEADER, text, text_length);
  memset(buffer + length + FACT_HEADER + text_length, 0, header.size - FACT_HEADER - text_length);
  return length + header.size;
}

static bool wait_for_room(struct thread *t, uint64_t wanted) {
  int saved = errno;
  bool room = mt_room_wait(&t->ring->facts_tail, wanted, &t->facts_stuck);
  errno = saved;
  return room;
}

bool mt_fact(struct thread *t, unsigned kind, unsigned aux, uint64_t key, const char *text, size_t length) {
  static const char zeros[8];
  struct ring *ring = t->ring;
  if (length > MT_MAX_FACT_TEXT) length = MT_MAX_FACT_TEXT;
  uint64_t head = atomic_load_explicit(&ring->facts_head, memory_order_relaxed);
  uint64_t tail = atomic_load_explicit(&ring->facts_tail, memory_order_acquire);
  struct fact_header header = header_of(kind, aux, key, length);
  uint64_t used = head + header.size - tail;
  bool room = used <= MT_FACTS_PER_RING || wait_for_room(t, head + header.size - MT_FACTS_PER_RING);
  if (room) {
    put(ring, head, &header, FACT_HEADER);
    put(ring, head + FACT_HEADER, text, length);
    put(ring, head + FACT_HEADER + length, zeros, header.size - FACT_HEADER - length);
    atomic_store_explicit(&ring->facts_head, head + header.size, memory_order_release);
  } else {
    atomic_store_explicit(&ring->facts_dropped, atomic_load_explicit(&ring->facts_dropped, memory_order_relaxed) + 1, memory_order_relaxed);
  }
  if (used > MT_FACTS_PER_RING / 4) {
    int saved = errno;
    mt_doorbell_ring();
    errno = saved;
  }
  return room;
}

uint64_t mt_text(struct thread *t, const char *text, size_t length) {
  if (length == 0) return 0;
  if (length > MT_MAX_FACT_TEXT) length = MT_MAX_FACT_TEXT;
  uint64_t name = fnv(fnv_start, text, length);
  if (name == 0) name = 1;
  uint64_t *sent = &t->sent[name % MT_SENT_TEXTS];
  if (*sent != name && mt_fact(t, MT_FACT_STRING, 0, name, text, length)) *sent = name;
  return name;
}

typedef void (*get_characters)(id, SEL, uint16_t *, NSRange);

// Copies the UTF-8 of the characters in *range, as many whole ones as fit, and leaves in *range those that did not. It asks for
// UTF-16, the primitive of every string class, because GNUstep's strings do not know getBytes:.
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
      bool high = c >= 0xd800 && c < 0xdc00, low_here = high && i + 1 < n && units[i + 1] >= 0xdc00 && units[i + 1] < 0xe000;
      if (high && i + 1 == n && n < range->length && i > 0) break; // its other half comes with the next piece
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
  uint64_t hash = fnv_start;
  for (NSRange range = {0, mt_send_integer(string, "length")}; range.length > 0;) {
    size_t n = read_utf8(string, &range, buffer, sizeof buffer);
    if (n == 0) break;
    hash = fnv(hash, buffer, n);
    *bytes += n;
  }
  snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
  uint64_t name = mt_text(t, text, 16);
  errno = saved;
  return name;
}
