// See locks.h. The names of locks are looked up once per thread and lock, after the lock was taken.
#include "locks.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "canary.h"
#include "clock.h"
#include "identity.h"
#include "python.h"
#include "text.h"

// "symbol" where an address lies in one; else "in function" or "in file".
static uint64_t name_of(struct thread *t, const void *lock, const char *label, void *waiter) {
  if (label && *label) return mt_text(t, label, strlen(label));
  struct lock_name *cached = &t->lock_names[((uintptr_t)lock >> 4) % (sizeof t->lock_names / sizeof *t->lock_names)];
  if (cached->lock == lock) return cached->name;
  char text[256] = "";
  Dl_info info;
  if (dladdr(lock, &info) && info.dli_sname) {
    snprintf(text, sizeof text, "%s", info.dli_sname);
  } else if (dladdr(waiter, &info)) {
    const char *file = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    snprintf(text, sizeof text, "in %s", info.dli_sname ? info.dli_sname : file ? file + 1 : "the program");
  }
  *cached = (struct lock_name){lock, mt_text(t, text, strlen(text))};
  return cached->name;
}

void mt_lock_waited(unsigned call, const void *lock, uint64_t begin, uint64_t holder, const char *label, void *waiter) {
  int saved = errno;
  uint64_t end = mt_ticks();
  struct thread *t = mt_thread();
  if (t && !mt_canary_flies()) {
    struct record records[2] = {
        {.begin = begin, .end = end, .arg = holder, .object = mt_identity_of(lock), .call = (uint16_t)call, .flags = (uint16_t)(MT_FLAG_HAS_MORE | mt_python_flags())},
        {.begin = name_of(t, lock, label, waiter), .end = (uintptr_t)lock, .call = MT_CALL_tracer_more},
    };
    mt_thread_publish(t, records, 2);
  }
  errno = saved;
}

// CPython keeps its lock in one global, of the interpreter or of its library.
bool mt_lock_is_interpreters(const void *lock) {
  static const void *_Atomic known, *_Atomic other;
  if (lock == atomic_load_explicit(&known, memory_order_relaxed)) return true;
  if (lock == atomic_load_explicit(&other, memory_order_relaxed)) return false;
  Dl_info info;
  bool is = dladdr(lock, &info) && info.dli_sname && strcmp(info.dli_sname, "_PyRuntime") == 0;
  atomic_store_explicit(is ? &known : &other, lock, memory_order_relaxed);
  return is;
}
