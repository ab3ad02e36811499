// Stores finished waits for locks until they can be recorded (locks.h). The name of a lock is looked up once per thread
// and lock, after the lock was acquired.
#include "waits/locks.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "core/clock.h"
#include "waits/handoff.h"
#include "core/identity.h"
#include "core/names.h"
#include "system/place.h"
#include "stacks/python.h"
#include "core/text.h"

#define SELDOM __attribute__((noinline, cold))

_Atomic bool mt_locks_left_out;
_Atomic bool mt_locks_named;

struct lock_name {
  const void *lock, *waiter; // lock is NULL if the name is the waiting function's
  uint64_t name;
  bool function; // the name is a function's
};
struct put_off {
  uint64_t begin, end, arg; // arg: the holder of a lock; for a signal, the object that the thread itself signalled last
  const void *object, *waiter;
  uint16_t call, flags;
  bool signal; // a wait for a signal; the signalling thread is still to be determined
};

enum { MOST_PUT_OFF = 4 };

// The waits of each thread that are not yet written into its ring (its buffer of records in shared memory), indexed
// by the thread. Pages of the array that are never touched take no memory.
static struct waits {
  unsigned count;
  unsigned unlocks;    // how many more times `held` is unlocked before the waits are written
  uint64_t look_again; // the thread's look_again, which is 0 until the waits are written
  struct put_off put_off[MOST_PUT_OFF]; // in the order of their ends
  struct lock_name names[32]; // direct mapped
} __attribute__((aligned(128))) waits[MT_THREADS];

void mt_lock_open(struct thread *t) {
  memset(&waits[t->index], 0, sizeof waits[t->index]);
  // The thread that used this ring (buffer of records) before may have been cancelled inside a wait, which would
  // still be shown as in progress.
  atomic_store_explicit(&t->ring->blocked, 0, memory_order_relaxed);
}

static bool left_out(void) { return atomic_load_explicit(&mt_locks_left_out, memory_order_relaxed); }

static const char interpreters[] = "_PyRuntime"; // CPython's GIL is in this variable

static struct lock_name *cached_name(struct thread *t, const void *key) {
  struct waits *w = &waits[t->index];
  return &w->names[((uintptr_t)key >> 4) % (sizeof w->names / sizeof *w->names)];
}

static void put_file(char *text, size_t size, const char *before, const struct mt_place *where) {
  const char *file = where->file ? strrchr(where->file, '/') : NULL;
  snprintf(text, size, "%s%s",
      before, file ? file + 1 : where->file ? where->file : "the program");
}

// Returns the name of a place in the code that waits: "in FUNCTION" or "in FILE". It is cached by place, because
// locks on the heap are short-lived and searching the symbols of a large library is slow.
static struct lock_name *waiter_name(struct thread *t, const void *waiter) {
  struct lock_name *cached = cached_name(t, waiter);
  if (!cached->lock && cached->waiter == waiter) return cached;
  char text[256] = "";
  struct mt_place where;
  bool found = mt_place_of(waiter, &where), function = found && where.symbol;
  if (function) snprintf(text, sizeof text, "in %s", where.symbol);
  else if (found) put_file(text, sizeof text, "in ", &where);
  *cached = (struct lock_name){NULL, waiter, mt_text(t, text, strlen(text)), function};
  return cached;
}

uint64_t mt_lock_waiter_name(struct thread *t, const void *waiter) { return waiter_name(t, waiter)->name; }

// Returns the name of a lock as a StringID (the hash that stands for a text in the trace). The name is the first of
// these that is known: the symbol at the lock's address; the function that waits for the lock; the file and offset of
// the lock, if it is in a file's data; the file that waits.
static uint64_t name_of(struct thread *t, const void *lock, const void *waiter) {
  struct lock_name *cached = cached_name(t, lock);
  if (cached->lock == lock && cached->waiter == waiter) return cached->name;
  char text[256];
  struct mt_place where;
  bool inside = mt_place_of(lock, &where);
  const char *symbol = mt_python_has(lock) ? interpreters : inside ? where.symbol : NULL;
  uint64_t name;
  if (symbol) {
    name = mt_text(t, symbol, strlen(symbol));
  } else {
    struct lock_name *by = waiter_name(t, waiter);
    name = by->name;
    if (inside && !by->function) {
      put_file(text, sizeof text, "", &where);
      size_t used = strlen(text);
      snprintf(text + used, sizeof text - used, "+%#lx", (unsigned long)where.offset);
      name = mt_text(t, text, strlen(text));
    }
  }
  *cached = (struct lock_name){lock, waiter, name, false};
  return name;
}

static void publish(struct thread *t, const struct record *wait, const struct record *more) {
  struct record records[2] = {*wait, *more};
  mt_thread_publish(t, records, 2);
}

static uint64_t known_name_of(struct thread *t, const void *lock, const void *waiter) {
  uint64_t name = mt_name_known(lock, waiter);
  if (name) return name;
  name = name_of(t, lock, waiter);
  if (name && t->sent[name % MT_SENT_TEXTS] == name) mt_name_keep(lock, waiter, name);
  return name;
}

// Stores in a wait's records which thread has signalled, and how long before the wait's end.
static void put_giver(struct record *wait, struct record *more) {
  struct handoff h = mt_handoff_read((const void *)more->end, wait->begin, wait->end);
  uint64_t ago = h.by ? wait->end - h.at : 0;
  wait->arg = h.by;
  wait->object = (h.given_back ? MT_SIGNAL_GIVEN_BACK : 0) | (h.fetched ? MT_SIGNAL_FETCHED : 0);
  more->object = ago > UINT32_MAX ? UINT32_MAX : (uint32_t)ago;
}

// Writes a pending wait into the thread's ring (its buffer of records). Names and the signalling thread are looked up
// only now, after the lock was released: these look-ups, and cache lines that another thread has just written, are
// the expensive part.
static void write_down(struct thread *t, const struct put_off *p) {
  struct record wait = {.begin = p->begin, .end = p->end, .call = p->call, .flags = p->flags};
  struct record more = {.begin = known_name_of(t, p->object, p->waiter), .end = (uintptr_t)p->object,
      .call = MT_CALL_tracer_more};
  if (p->signal) {
    more.arg = p->arg;
    if (!(p->flags & MT_FLAG_FAILED)) put_giver(&wait, &more);
  } else {
    wait.arg = p->arg;
    wait.object = mt_identity_of_lock(p->object);
  }
  publish(t, &wait, &more);
}

void mt_lock_write_down(struct thread *t) {
  if (!t->held) return;
  int saved = errno;
  struct waits *w = &waits[t->index];
  t->held = NULL;
  t->look_again = w->look_again;
  for (unsigned i = 0; i < w->count; i++) write_down(t, &w->put_off[i]);
  w->count = 0;
  errno = saved;
}

void mt_lock_unlocked(struct thread *t) {
  if (--waits[t->index].unlocks == 0) mt_lock_write_down(t);
}

static SELDOM void write_down_at_once(struct thread *t, const struct put_off *wait) {
  int saved = errno;
  write_down(t, wait);
  errno = saved;
}

// Stores a finished wait until the thread releases `held`. If `held` is NULL, the thread holds no lock, and the wait is
// written at once. The function touches only the memory of one entry: other threads wait for the lock meanwhile, and
// each further cache miss would make them wait longer.
static inline void put_off(struct thread *t, const void *held, uint64_t begin, uint64_t end, uint64_t arg,
    const void *object, const void *waiter, unsigned call,
                           unsigned flags, bool signal) {
  struct waits *w = &waits[t->index];
  if (!held || w->count == MOST_PUT_OFF) mt_lock_write_down(t);
  struct put_off at_once, *p = held ? &w->put_off[w->count] : &at_once;
  p->begin = begin;
  p->end = end;
  p->arg = arg;
  p->object = object;
  p->waiter = waiter;
  p->call = (uint16_t)call;
  p->flags = (uint16_t)(MT_FLAG_HAS_MORE | flags);
  p->signal = signal;
  if (!held) {
    write_down_at_once(t, p);
    return;
  }
  w->count++;
  w->unlocks = mt_python_has(held) ? 2 : 1;
  if (!t->held) w->look_again = t->look_again;
  t->look_again = 0;
  t->owed = mt_lock_write_down;
  t->held = held;
}

// Returns flags that say whether the thread held the GIL while it waited. A thread that waited for the GIL itself did
// not hold it, although it may hold it when this function runs.
static unsigned interpreter_flags(const void *lock) { return mt_python_has(lock) ? MT_FLAG_LACKS_INTERPRETER :
    mt_python_flags(); }

void mt_lock_waited(unsigned call, const void *lock, const void *held, uint64_t begin, uint64_t holder,
    const void *waiter) {
  uint64_t end = mt_ticks();
  struct thread *t = mt_thread();
  if (t && !left_out()) put_off(t, held, begin, end, holder, lock, waiter, call, interpreter_flags(lock), false);
}

void mt_lock_waited_until(uint64_t end, unsigned call, const void *lock, uint64_t begin, uint64_t holder,
    const char *label) {
  int saved = errno;
  struct thread *t = mt_thread();
  if (t && !left_out()) {
    struct record wait = {.begin = begin, .end = end, .arg = holder, .object = mt_identity_of_lock(lock),
        .call = (uint16_t)call, .flags = (uint16_t)(MT_FLAG_HAS_MORE | mt_python_flags())};
    uint64_t name = label && *label ? mt_text(t, label, strlen(label)) : known_name_of(t, lock, NULL);
    struct record more = {.begin = name, .end = (uintptr_t)lock, .call = MT_CALL_tracer_more};
    publish(t, &wait, &more);
  }
  errno = saved;
}

void mt_signal_waited(unsigned call, const void *object, const void *held, uint64_t begin, bool failed,
    const void *waiter) {
  uint64_t end = mt_ticks();
  struct thread *t = mt_thread();
  if (t) put_off(t, held, begin, end, (uintptr_t)mt_handoff_gave(), object, waiter, call, failed ? MT_FLAG_FAILED : 0,
      true);
}

// CPython keeps the GIL inside the global variable _PyRuntime. Whether a lock's address belongs to that variable is
// looked up once for each address and cached; the lowest bit of an entry says that it does.
enum { SEEN = 4096 }; // if an entry is overwritten, the next look-up runs while the thread holds the GIL's mutex
static _Atomic uintptr_t seen[SEEN];
static inline _Atomic uintptr_t *seen_of(const void *lock) {
    return &seen[((uintptr_t)lock >> 4 ^ (uintptr_t)lock >> 16) % SEEN]; }

bool mt_lock_is_named(const void *lock) {
  uintptr_t known = atomic_load_explicit(seen_of(lock), memory_order_relaxed);
  if ((known | 1) == ((uintptr_t)lock | 1)) return known & 1;
  struct mt_place where;
  bool is = mt_place_of(lock, &where) && where.symbol && strcmp(where.symbol, interpreters) == 0;
  if (is) atomic_store_explicit(&mt_locks_named, true, memory_order_relaxed);
  atomic_store_explicit(seen_of(lock), (uintptr_t)lock | is, memory_order_relaxed);
  return is;
}

bool mt_lock_was_named(const void *lock) { return atomic_load_explicit(seen_of(lock), memory_order_relaxed) == (
    (uintptr_t)lock | 1); }
