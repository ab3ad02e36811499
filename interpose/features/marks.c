// Implements the functions of marks.h, which programs call. Before the first Metal call the events are logged
// (early.h); in an untraced process they are dropped.
#include "marks.h"
#include <errno.h>
#include "core/clock.h"
#include "features/capture.h"
#include "features/early.h"
#include "features/scopes.h"
#include "core/thread.h"

#define EXPORT __attribute__((visibility("default")))

// Returns the calling thread's state, for recording. If it returns NULL and sets *early, the caller must log the
// event, because there was no Metal call yet. It calls mt_thread twice, because another thread may have made the
// first Metal call in between.
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
  if (t) {
    mt_mark(t, mt_ticks(), name);
    mt_capture_mark(t, name);
  } else if (early) mt_early(MT_EARLY_MARK, name);
  errno = saved;
}

EXPORT void mtrace_scope_begin(const char *name) {
  int saved = errno;
  bool early = false;
  struct thread *t = recorder(&early);
  if (t) {
    mt_capture_scope_begins(t, name);
    mt_scope_begin(t, mt_ticks(), name);
  } else if (early) mt_early(MT_EARLY_BEGIN, name);
  errno = saved;
}

EXPORT void mtrace_scope_end(void) {
  int saved = errno;
  bool early = false;
  struct thread *t = recorder(&early);
  if (t) {
    mt_scope_end(t, mt_ticks());
    mt_capture_scope_ends(t);
  } else if (early) mt_early(MT_EARLY_END, NULL);
  errno = saved;
}
