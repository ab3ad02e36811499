// Records the program's signposts (signposts.h). An interval may overlap other intervals of its thread and may end on
// another thread. If an interval ends on the thread where it began, it is recorded as a scope. If it ends on another
// thread, that thread finds its beginning in a table, indexed by a hash of log, id and name, and records the interval.
// The thread where the interval began then drops the open scope at its next signpost.
//
// Memory order: an entry's begin and thread are written first, then its key with release. A thread that ends the
// interval takes the key by compare-and-swap with acquire, so that only one thread records it, and then marks the
// interval as ended. If two intervals share an entry, the older one is lost when another thread ends it.
#include "features/signposts.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "core/clock.h"
#include "core/fact.h"
#include "core/text.h"
#include "features/scopes.h"
#include "system/place.h"

enum { EVENT, BEGINS, ENDS }; // os_signpost_type_t

enum { ENTRIES_OF_SIGNPOSTS = 1024 };
static struct {
  _Atomic uint64_t key, begin, ended, thread;
} begun[ENTRIES_OF_SIGNPOSTS];

static uint64_t key_of(const void *log, uint64_t id, const char *name) {
  const uint64_t words[2] = {(uintptr_t)log, id};
  uint64_t key = mt_fnv(mt_fnv(MT_FNV_START, (const char *)words, sizeof words), name, strlen(name));
  return key ? key : 1; // 0 is no interval
}

// Returns whether an image is one of Apple's libraries: they emit many signposts, which say nothing about the
// program. The answer is cached for each library.
static bool is_apples(const void *image) {
  static _Atomic uintptr_t looked_up[64]; // the lowest bit is the answer
  _Atomic uintptr_t *known = &looked_up[((uintptr_t)image >> 4 ^ (uintptr_t)image >> 12) % 64];
  uintptr_t was = atomic_load_explicit(known, memory_order_relaxed), at = (uintptr_t)image & ~(uintptr_t)1;
  if ((was & ~(uintptr_t)1) == at) return was & 1;
  struct mt_place where;
  bool found = mt_place_of(image, &where) && where.file;
  bool answer = found && (strncmp(where.file, "/System/",
      8) == 0 || strncmp(where.file, "/usr/lib/system/", 16) == 0 ||
      strncmp(where.file, "/usr/lib/swift/", 15) == 0);
  atomic_store_explicit(known, at | answer, memory_order_relaxed);
  return answer;
}

// Returns the first string among a signpost's arguments, or NULL. The arguments are encoded as a byte of flags and a
// count; then for each argument a byte with its kind in the upper half, a byte with its size, and its bytes.
static const char *text_in(const uint8_t *arguments, uint32_t size) {
  enum { STRING = 2 };
  if (!arguments || size < 2) return NULL;
  uint32_t at = 2;
  for (unsigned left = arguments[1]; left > 0 && at + 2 <= size; left--) {
    unsigned kind = arguments[at] >> 4, bytes = arguments[at + 1];
    at += 2;
    if (at + bytes > size) return NULL;
    const char *text = NULL;
    if (kind == STRING && bytes == sizeof text) {
      memcpy(&text, arguments + at, sizeof text);
      return text;
    }
    at += bytes;
  }
  return NULL;
}

// Writes the name under which a signpost is recorded into all: "name", or "name: text" if its arguments contain a
// text.
static void put_name(char *all, size_t size, const char *name, const uint8_t *arguments, uint32_t bytes) {
  const char *text = text_in(arguments, bytes);
  snprintf(all, size, "%s%s%s",
      name, text && *text && *name ? ": " : "", text ? text : "");
}

static bool has_ended(uint64_t key) { return atomic_load_explicit(&begun[key % ENTRIES_OF_SIGNPOSTS].ended,
    memory_order_relaxed) == key; }

static void begins(struct thread *t, uint64_t now, uint64_t key, const char *name) {
  unsigned at = key % ENTRIES_OF_SIGNPOSTS;
  atomic_store_explicit(&begun[at].ended, 0, memory_order_relaxed);
  atomic_store_explicit(&begun[at].begin, now, memory_order_relaxed);
  atomic_store_explicit(&begun[at].thread, atomic_load_explicit(&t->ring->thread, memory_order_relaxed),
      memory_order_relaxed);
  atomic_store_explicit(&begun[at].key, key, memory_order_release);
  mt_scope_begin_keyed(t, now, name, key);
}

static void ends(struct thread *t, uint64_t now, uint64_t key, const char *name) {
  unsigned at = key % ENTRIES_OF_SIGNPOSTS;
  uint64_t taken = key;
  bool open = atomic_compare_exchange_strong_explicit(&begun[at].key, &taken, 0, memory_order_acquire,
      memory_order_relaxed);
  uint64_t begin = atomic_load_explicit(&begun[at].begin, memory_order_relaxed),
      thread = atomic_load_explicit(&begun[at].thread, memory_order_relaxed);
  if (mt_scope_end_keyed(t, now, key) || !open) return;
  atomic_store_explicit(&begun[at].ended, key, memory_order_relaxed);
  struct record records[2] = {
      {.begin = begin, .end = now, .arg = mt_text(t, name, mt_name_length(name)), .call = MT_CALL_tracer_signpost,
          .flags = MT_FLAG_HAS_MORE},
      {.begin = thread, .call = MT_CALL_tracer_more},
  };
  mt_thread_publish(t, records, 2);
}

void mt_signpost(const void *image, const void *log, uint8_t type, uint64_t id, const char *name, const char *format,
    const uint8_t *arguments, uint32_t size) {
  (void)format;
  if (atomic_load_explicit(&mt_state, memory_order_relaxed) != MT_ACTIVE || type > ENDS) return;
  int saved = errno;
  struct thread *t = is_apples(image) ? NULL : mt_thread();
  if (t) {
    char all[MT_MAX_FACT_TEXT + 2];
    if (!name) name = "";
    put_name(all, sizeof all, name, arguments, size);
    uint64_t now = mt_ticks();
    mt_scopes_forget(t, has_ended);
    if (type == EVENT) mt_mark(t, now, all);
    if (type == BEGINS) begins(t, now, key_of(log, id, name), all);
    if (type == ENDS) ends(t, now, key_of(log, id, name), all);
  }
  errno = saved;
}
