// What a program may call: see marks.h. Before the first Metal call the events are noted, in a process that is not traced they are not.
#include "marks.h"
#include <errno.h>
#include <string.h>
#include "core/clock.h"
#include "features/early.h"
#include "features/scopes.h"
#include "core/text.h"

#define EXPORT __attribute__((visibility("default")))

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
  if (t->scopes_skipped || t->scope_count == MT_SCOPES) {
    t->scopes_skipped++;
    atomic_store_explicit(&t->ring->dropped, atomic_load_explicit(&t->ring->dropped, memory_order_relaxed) + 1, memory_order_relaxed);
    return;
  }
  uint64_t text = mt_text(t, name, mt_name_length(name));
  struct record record = {.begin = ticks, .end = ticks, .arg = text, .object = t->scope_count, .call = MT_CALL_tracer_scope_begins};
  mt_thread_publish(t, &record, 1);
  t->scopes[t->scope_count++] = (struct scope){text, ticks};
}

void mt_scope_end(struct thread *t, uint64_t ticks) {
  if (t->scopes_skipped || t->scope_count == 0) {
    if (t->scopes_skipped) t->scopes_skipped--;
    return;
  }
  const struct scope *scope = &t->scopes[--t->scope_count];
  struct record records[2] = {
      {.begin = scope->begin, .end = ticks, .arg = scope->name, .call = MT_CALL_tracer_scope, .flags = MT_FLAG_HAS_MORE},
      {.begin = t->scope_count, .call = MT_CALL_tracer_more},
  };
  mt_thread_publish(t, records, 2);
}

// The thread to record on; NULL with *early when that has to wait for the first Metal call, which another thread may be making.
static struct thread *recorder(bool *early) {
  struct thread *t = mt_thread();
  if (t) return t;
  *early = atomic_load_explicit(&mt_state, memory_order_acquire) == MT_READY;
  return *early ? NULL : mt_thread();
}

EXPORT void mtrace_mark(const char *name) {
  int saved = errno;
  bool early = false;
  struct thread *t = recorder(&early);
  if (t) mt_mark(t, mt_ticks(), name);
  else if (early) mt_early(MT_EARLY_MARK, name);
  errno = saved;
}

EXPORT void mtrace_scope_begin(const char *name) {
  int saved = errno;
  bool early = false;
  struct thread *t = recorder(&early);
  if (t) mt_scope_begin(t, mt_ticks(), name);
  else if (early) mt_early(MT_EARLY_BEGIN, name);
  errno = saved;
}

EXPORT void mtrace_scope_end(void) {
  int saved = errno;
  bool early = false;
  struct thread *t = recorder(&early);
  if (t) mt_scope_end(t, mt_ticks());
  else if (early) mt_early(MT_EARLY_END, NULL);
  errno = saved;
}
