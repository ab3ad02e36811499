// See scopes.h.
#include "features/scopes.h"
#include <string.h>
#include "core/clock.h"
#include "core/delay.h"
#include "core/text.h"

enum { MOST_SCOPES = 64 };

// The open scopes of each thread, indexed by the thread. Pages of the array that are never touched take no memory.
static struct open_scopes {
  struct scope {
    uint64_t name, begin, key; // key 0: the innermost scope ends first
    uint32_t depth;
  } scopes[MOST_SCOPES]; // open scopes, the innermost last
  unsigned count, skipped; // skipped: number of unrecorded open scopes inside the recorded ones
} open_scopes[MT_THREADS];

void mt_scopes_open(struct thread *t) { open_scopes[t->index].count = open_scopes[t->index].skipped = 0; }

void mt_scopes_skip(struct thread *t, unsigned count) { open_scopes[t->index].skipped = count; }

size_t mt_name_length(const char *name) {
  size_t length = name ? strnlen(name, MT_MAX_FACT_TEXT + 1) : 0;
  if (length <= MT_MAX_FACT_TEXT) return length;
  for (length = MT_MAX_FACT_TEXT; length > 0 && (name[length] & 0xc0) == 0x80;) length--;
  return length;
}

void mt_mark(struct thread *t, uint64_t ticks, const char *name) {
  struct record record = {.begin = ticks, .end = ticks, .arg = mt_text(t, name, mt_name_length(name)),
      .call = MT_CALL_tracer_mark};
  mt_thread_publish(t, &record, 1);
  mt_progress(t, ticks, record.arg);
}

static void drop_scope(struct thread *t) {
  atomic_store_explicit(&t->ring->dropped, atomic_load_explicit(&t->ring->dropped, memory_order_relaxed) + 1,
      memory_order_relaxed);
}

void mt_scope_begin_keyed(struct thread *t, uint64_t ticks, const char *name, uint64_t key) {
  struct open_scopes *open = &open_scopes[t->index];
  if (open->skipped || open->count == MOST_SCOPES) {
    drop_scope(t);
    return;
  }
  uint64_t text = mt_text(t, name, mt_name_length(name));
  uint32_t depth = open->count ? open->scopes[open->count - 1].depth + 1 : 0;
  struct record record = {.begin = ticks, .end = ticks, .arg = text, .object = depth,
      .call = MT_CALL_tracer_scope_begins};
  mt_thread_publish(t, &record, 1);
  open->scopes[open->count++] = (struct scope){text, ticks, key, depth};
}

void mt_scope_begin(struct thread *t, uint64_t ticks, const char *name) {
  struct open_scopes *open = &open_scopes[t->index];
  if (open->skipped || open->count == MOST_SCOPES) {
    open->skipped++;
    drop_scope(t);
    return;
  }
  mt_scope_begin_keyed(t, ticks, name, 0);
}

// Returns the index of the innermost scope that has the key and an index less than below; -1 if there is none.
static int place_of_scope(const struct open_scopes *open, uint64_t key, int below) {
  while (--below >= 0 && open->scopes[below].key != key) {}
  return below;
}

static void take_out(struct open_scopes *open, int at) {
  open->count--;
  memmove(&open->scopes[at], &open->scopes[at + 1], (open->count - (unsigned)at) * sizeof open->scopes[0]);
}

static bool end_of(struct thread *t, uint64_t ticks, uint64_t key) {
  struct open_scopes *open = &open_scopes[t->index];
  int at = place_of_scope(open, key, (int)open->count);
  if (at < 0) return false;
  struct scope scope = open->scopes[at];
  take_out(open, at);
  struct record records[2] = {
      {.begin = scope.begin, .end = ticks, .arg = scope.name, .call = MT_CALL_tracer_scope, .flags = MT_FLAG_HAS_MORE},
      {.begin = scope.depth, .call = MT_CALL_tracer_more},
  };
  mt_thread_publish(t, records, 2);
  return true;
}

void mt_scope_end(struct thread *t, uint64_t ticks) {
  struct open_scopes *open = &open_scopes[t->index];
  if (open->skipped) open->skipped--;
  else end_of(t, ticks, 0);
}

bool mt_scope_end_keyed(struct thread *t, uint64_t ticks, uint64_t key) { return end_of(t, ticks, key); }

void mt_scopes_forget(struct thread *t, bool (*ended)(uint64_t key)) {
  struct open_scopes *open = &open_scopes[t->index];
  for (int at = (int)open->count; --at >= 0;)
    if (open->scopes[at].key && ended(open->scopes[at].key)) take_out(open, at);
}

void mt_scopes_end(struct thread *t) {
  for (uint64_t now = mt_ticks(); open_scopes[t->index].count > 0;) {
    open_scopes[t->index].skipped = 0;
    end_of(t, now, open_scopes[t->index].scopes[open_scopes[t->index].count - 1].key);
  }
}
