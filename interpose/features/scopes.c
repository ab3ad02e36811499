// See scopes.h.
#include "features/scopes.h"
#include <string.h>
#include "core/clock.h"
#include "core/text.h"

enum { MOST_SCOPES = 64 };

// By a thread's index; pages never touched take no memory.
static struct open_scopes {
  struct scope {
    uint64_t name, begin;
  } scopes[MOST_SCOPES]; // open ones, the innermost last
  unsigned count, skipped; // skipped: open ones inside of those, which were not recorded
} open_scopes[MT_THREADS];

void mt_scopes_open(struct thread *t) { open_scopes[t->index].count = open_scopes[t->index].skipped = 0; }

void mt_scopes_skip(struct thread *t, unsigned count) { open_scopes[t->index].skipped = count; }

void mt_scopes_end(struct thread *t) {
  for (uint64_t now = mt_ticks(); open_scopes[t->index].count > 0;) {
    open_scopes[t->index].skipped = 0;
    mt_scope_end(t, now);
  }
}

size_t mt_name_length(const char *name) {
  size_t length = name ? strnlen(name, MT_MAX_FACT_TEXT + 1) : 0;
  if (length <= MT_MAX_FACT_TEXT) return length;
  for (length = MT_MAX_FACT_TEXT; length > 0 && (name[length] & 0xc0) == 0x80;) length--;
  return length;
}

void mt_mark(struct thread *t, uint64_t ticks, const char *name) {
  struct record record = {.begin = ticks, .end = ticks, .arg = mt_text(t, name, mt_name_length(name)), .call = MT_CALL_tracer_mark};
  mt_thread_publish(t, &record, 1);
}

void mt_scope_begin(struct thread *t, uint64_t ticks, const char *name) {
  struct open_scopes *open = &open_scopes[t->index];
  if (open->skipped || open->count == MOST_SCOPES) {
    open->skipped++;
    atomic_store_explicit(&t->ring->dropped, atomic_load_explicit(&t->ring->dropped, memory_order_relaxed) + 1, memory_order_relaxed);
    return;
  }
  uint64_t text = mt_text(t, name, mt_name_length(name));
  struct record record = {.begin = ticks, .end = ticks, .arg = text, .object = open->count, .call = MT_CALL_tracer_scope_begins};
  mt_thread_publish(t, &record, 1);
  open->scopes[open->count++] = (struct scope){text, ticks};
}

void mt_scope_end(struct thread *t, uint64_t ticks) {
  struct open_scopes *open = &open_scopes[t->index];
  if (open->skipped || open->count == 0) {
    if (open->skipped) open->skipped--;
    return;
  }
  const struct scope *scope = &open->scopes[--open->count];
  struct record records[2] = {
      {.begin = scope->begin, .end = ticks, .arg = scope->name, .call = MT_CALL_tracer_scope, .flags = MT_FLAG_HAS_MORE},
      {.begin = open->count, .call = MT_CALL_tracer_more},
  };
  mt_thread_publish(t, records, 2);
}
