// Marks and scopes. Rule: a scope is one record, written at its end; what is open when the thread ends is not written. Scopes deeper
// than the stack holds are counted, so that ends pair with their beginnings.
#include "marks.h"
#include <errno.h>
#include <string.h>
#include "clock.h"
#include "text.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void mtrace_mark(const char *name) {
  struct thread *t = mt_thread();
  if (!t || !name) return;
  int saved = errno;
  uint64_t now = mt_ticks();
  struct record record = {.begin = now, .end = now, .arg = mt_text(t, name, strlen(name)), .call = MT_CALL_tracer_mark};
  mt_thread_publish(t, &record, 1);
  errno = saved;
}

EXPORT void mtrace_scope_begin(const char *name) {
  struct thread *t = mt_thread();
  if (!t || !name) return;
  int saved = errno;
  if (t->scope_count++ < MT_SCOPES) t->scopes[t->scope_count - 1] = (struct scope){mt_text(t, name, strlen(name)), mt_ticks()};
  errno = saved;
}

EXPORT void mtrace_scope_end(void) {
  struct thread *t = mt_thread();
  if (!t || t->scope_count == 0 || --t->scope_count >= MT_SCOPES) return;
  int saved = errno;
  const struct scope *scope = &t->scopes[t->scope_count];
  struct record records[2] = {
      {.begin = scope->begin, .end = mt_ticks(), .arg = scope->name, .call = MT_CALL_tracer_scope, .flags = MT_FLAG_HAS_MORE},
      {.begin = t->scope_count, .call = MT_CALL_tracer_more},
  };
  mt_thread_publish(t, records, 2);
  errno = saved;
}
