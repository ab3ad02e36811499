// Logs marks and scopes from before the first Metal call (early.h). A thread finds its log by searching a short list
// for its thread id. The search is slow, but it never runs during a Metal call.
#include "features/early.h"
#include <string.h>
#include "core/clock.h"
#include "features/scopes.h"

enum { LOGS = 64, EVENTS = 512, NAMES = 16384 };

struct log {
  _Atomic uint64_t thread; // the id of the thread that writes the log; 0: the log is free
  _Atomic uint32_t noted;  // number of marks and scope beginnings, including those that did not fit
  uint32_t counted;        // events that were counted as rejected; a replay subtracts those that it replays
  unsigned used, open, skipped; // skipped: number of open scopes whose beginning did not fit
  unsigned name_bytes;
  struct {
    uint64_t ticks;
    uint32_t name; // offset of the name in names
    uint8_t kind;
  } events[EVENTS];
  char names[NAMES];
};
static struct log logs[LOGS]; // pages never touched take no memory
static _Atomic uint32_t homeless; // events of threads for which there was no log

static struct log *log_of(uint64_t id, bool take) {
  for (unsigned i = 0; i < LOGS; i++) {
    uint64_t owner = atomic_load_explicit(&logs[i].thread, memory_order_relaxed);
    if (owner == 0 && take && atomic_compare_exchange_strong_explicit(&logs[i].thread, &owner, id, memory_order_relaxed,
        memory_order_relaxed)) return &logs[i];
    if (owner == id) return &logs[i];
  }
  return NULL;
}

static bool put(struct log *log, enum mt_early kind, const char *name) {
  unsigned entries = kind == MT_EARLY_BEGIN ? 2 : 1;
  size_t length = kind == MT_EARLY_END ? 0 : mt_name_length(name);
  if (kind != MT_EARLY_END && (log->used + log->open + entries > EVENTS || log->name_bytes + length +
      1 > NAMES)) return false;
  log->events[log->used].ticks = mt_ticks();
  log->events[log->used].kind = (uint8_t)kind;
  log->events[log->used++].name = log->name_bytes;
  if (kind == MT_EARLY_END) return true;
  if (length) memcpy(log->names + log->name_bytes, name, length);
  log->names[log->name_bytes + length] = 0;
  log->name_bytes += (unsigned)length + 1;
  return true;
}

void mt_early(enum mt_early kind, const char *name) {
  struct log *log = log_of(mt_thread_id(), kind != MT_EARLY_END);
  if (!log) {
    if (kind != MT_EARLY_END) atomic_fetch_add_explicit(&homeless, 1, memory_order_relaxed);
    return;
  }
  if (kind == MT_EARLY_END) {
    if (log->skipped) log->skipped--;
    else if (log->open) log->open--, put(log, kind, NULL);
    return;
  }
  atomic_fetch_add_explicit(&log->noted, 1, memory_order_relaxed);
  bool fits = log->skipped == 0 && put(log, kind, name);
  if (kind == MT_EARLY_BEGIN) fits ? log->open++ : log->skipped++;
}

void mt_early_count(void) {
  uint64_t all = atomic_load_explicit(&homeless, memory_order_relaxed);
  for (unsigned i = 0; i < LOGS; i++) all += logs[i].counted = atomic_load_explicit(&logs[i].noted,
      memory_order_relaxed);
  atomic_fetch_add_explicit(&mt_region->rejected, all, memory_order_relaxed);
}

void mt_early_replay(struct thread *t) {
  struct log *log = log_of(atomic_load_explicit(&t->ring->thread, memory_order_relaxed), false);
  if (!log) return;
  unsigned replayed = 0;
  for (unsigned i = 0; i < log->used; i++) {
    uint64_t ticks = log->events[i].ticks;
    const char *name = log->names + log->events[i].name;
    switch (log->events[i].kind) {
    case MT_EARLY_MARK: mt_mark(t, ticks, name), replayed++; break;
    case MT_EARLY_BEGIN: mt_scope_begin(t, ticks, name), replayed++; break;
    case MT_EARLY_END: mt_scope_end(t, ticks); break;
    }
  }
  mt_scopes_skip(t, log->skipped);
  atomic_fetch_sub_explicit(&mt_region->rejected, replayed < log->counted ? replayed : log->counted,
      memory_order_relaxed);
  // no other thread takes this log: the state becomes READY only once
  atomic_store_explicit(&log->thread, 0, memory_order_relaxed);
}

void mt_early_forget(void) { memset(logs, 0, sizeof logs); }
