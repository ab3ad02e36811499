// See handoff.h.
#include "waits/handoff.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include "core/clock.h"
#include "core/thread.h"

enum { ENTRY_BITS = 12, ENTRIES = 1 << ENTRY_BITS };

static struct entry {
  _Atomic uint64_t giver, at, taker, fetched;
} __attribute__((aligned(32))) entries[ENTRIES];

// For each thread, the objects (locks, semaphores, condition variables) that it has recently touched: acquired or
// signalled outside of Metal's calls. Of each object 16 bits of a hash are kept.
//
// They show that one thread (the sender) hands work to another (the receiver), even if the receiver is never idle and
// so never waits for the work. Both threads then touch the same object, such as the mutex of a queue of requests. The
// sender touches it before it waits for the answer; the receiver touches it between its previous answer and its next
// commit. Objects that the receiver also touched for its previous answer do not count, because a queue of results has a
// mutex, too.
//
// The objects touched for an answer are marked in a filter of 512 bits, of which an answer sets a few. So about one
// pair of objects in a hundred is mistaken for the same object. With 64 bits it was one in twenty, and then the
// hand-offs of all threads of a program were missed.
enum { ANSWERING = 8 }; // words
static struct touches {
  uint64_t latest[2]; // the hashes of the last eight objects touched
  uint64_t fetched;   // the last four objects touched since the answer
  uint64_t ready;     // the value of fetched at the first commit since the answer
  uint64_t answering[ANSWERING]; // a bit for each object touched between the last commit and the answer
  bool answered;      // the thread has signalled an object since its last commit
#ifdef __APPLE__
  const void *gave; // the object that the thread signalled last
#endif
} __attribute__((aligned(128))) touched[MT_THREADS]; // indexed by the thread

void mt_handoff_open(struct thread *t) { touched[t->index] = (struct touches){0}; }

static inline uint64_t mix(const void *object) { return (uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15u; }
static inline struct entry *entry_of(uint64_t mixed) { return &entries[mixed >> (64 - ENTRY_BITS)]; }

// Which thread took or signalled an object, packed into one 64-bit word. Upper half: a tag of the object's address.
// Then a bit that means "released by the thread that acquired it". Then the thread's id; an id of more than THREAD_BITS
// bits is stored as unknown.
enum { THREAD_BITS = 31 };
static inline uint64_t tag_of(uint64_t mixed) { return mixed >> (32 - ENTRY_BITS) << 32; }
static inline bool is_for(uint64_t name, uint64_t mixed) { return name >> 32 == tag_of(mixed) >> 32; }
static inline uint64_t thread_in(uint64_t name) { return name & ((UINT64_C(1) << THREAD_BITS) - 1); }
static const uint64_t back = UINT64_C(1) << THREAD_BITS;

static inline uint64_t self(void) {
#ifdef __APPLE__
  uint64_t id = 0;
  pthread_threadid_np(NULL, &id);
#else
  static _Thread_local uint64_t cached __attribute__((tls_model("initial-exec")));
  uint64_t id = cached;
  if (__builtin_expect(id == 0, 0)) id = cached = (uint64_t)syscall(SYS_gettid);
#endif
  return id >> THREAD_BITS ? 0 : id;
}

// Stores which object the calling thread signalled last. On macOS the object is stored in an array, indexed by the
// thread's ring (its buffer of records in shared memory), because a thread-local variable would be allocated at its
// first use. So signals that a thread sends before its first record are not stored.
#ifdef __APPLE__
static inline void remember(const void *object) {
  struct thread *t = mt_thread_get();
  if ((uintptr_t)t > (uintptr_t)MT_THREAD_GONE) touched[t->index].gave = object;
}
const void *mt_handoff_gave(void) {
  struct thread *t = mt_thread_get();
  const void *gave = touched[t->index].gave;
  touched[t->index].gave = NULL;
  return gave;
}
#else
static _Thread_local const void *last __attribute__((tls_model("initial-exec")));
static inline void remember(const void *object) { last = object; }
const void *mt_handoff_gave(void) {
  const void *gave = last;
  last = NULL;
  return gave;
}
#endif

static inline struct touches *touches(void) {
  struct thread *t = mt_thread_get();
  if ((uintptr_t)t <= (uintptr_t)MT_THREAD_GONE || atomic_load_explicit(&t->ring->current,
      memory_order_relaxed) != 0) return NULL;
  return &touched[t->index];
}

static inline void touch(struct touches *t, uint64_t mixed) {
  uint64_t name = mixed >> 48;
  if ((uint16_t)t->latest[0] != name) {
    t->latest[1] = t->latest[1] << 16 | t->latest[0] >> 48;
    t->latest[0] = t->latest[0] << 16 | name;
  }
  uint64_t *word = &t->answering[name >> 6 & (ANSWERING - 1)], bit = UINT64_C(1) << (name & 63);
  if (*word & bit) return; // the usual case: without a store, the next lock instruction is not delayed
  if (!t->answered)
    *word |= bit;
  else if ((uint16_t)t->fetched != name)
    t->fetched = t->fetched << 16 | name;
}

void mt_handoff_touched(struct thread *t, const void *object) { touch(&touched[t->index], mix(object)); }

void mt_handoff_commit(struct thread *thread) {
  struct touches *t = &touched[thread->index];
  // Store `ready` only at the first commit after an answer, because one request may need several command buffers.
  if (t->answered) t->ready = t->fetched;
  t->fetched = 0;
  for (int i = 0; i < ANSWERING; i++) t->answering[i] = 0;
  t->answered = false;
}

static bool has(uint64_t names, uint16_t name) {
  for (; names; names >>= 16)
    if ((uint16_t)names == name) return true;
  return false;
}

// Returns whether the calling thread has recently touched one of up to four objects, whose hashes are the 16-bit
// parts of names.
static bool is_touched(uint64_t names) {
  struct touches *t = touches();
  for (; t && names; names >>= 16)
    if ((uint16_t)names && (has(t->latest[0], (uint16_t)names) || has(t->latest[1], (uint16_t)names))) return true;
  return false;
}

void mt_handoff_give(const void *object, bool waited) {
  uint64_t mixed = mix(object);
  struct entry *e = entry_of(mixed);
  uint64_t taker = atomic_load_explicit(&e->taker, memory_order_relaxed);
  bool own = is_for(taker, mixed) && thread_in(taker) == self();
  if (!own) remember(object);
  struct touches *t = touches();
  if (t) touch(t, mixed);
  if (!waited) return;
  if (t) t->answered = true;
  atomic_store_explicit(&e->fetched, t ? t->ready : 0, memory_order_relaxed);
  atomic_store_explicit(&e->at, mt_ticks(), memory_order_relaxed);
  atomic_store_explicit(&e->giver, tag_of(mixed) | (own ? back : 0) | self(), memory_order_relaxed);
}

static inline void hold(uint64_t mixed, bool waited) {
  struct entry *e = entry_of(mixed);
  if (waited || is_for(atomic_load_explicit(&e->taker, memory_order_relaxed), mixed))
    atomic_store_explicit(&e->taker, tag_of(mixed) | self(), memory_order_relaxed);
}

void mt_handoff_hold(const void *object, bool waited) { hold(mix(object), waited); }

void mt_handoff_take(const void *object, bool waited) {
  uint64_t mixed = mix(object);
  hold(mixed, waited);
  struct touches *t = touches();
  if (t) touch(t, mixed);
}

struct handoff mt_handoff_read(const void *object, uint64_t begin, uint64_t end) {
  uint64_t mixed = mix(object);
  struct entry *e = entry_of(mixed);
  uint64_t giver = atomic_load_explicit(&e->giver, memory_order_relaxed);
  uint64_t at = atomic_load_explicit(&e->at, memory_order_relaxed);
  // The table's entry does not explain this wait: it belongs to another object, or its signal was not during the wait.
  if (!is_for(giver, mixed) || at < begin || at > end) return (struct handoff){0};
  return (struct handoff){thread_in(giver), at, (giver & back) != 0,
      is_touched(atomic_load_explicit(&e->fetched, memory_order_relaxed))};
}

uint64_t mt_handoff_taker(const void *object) {
  uint64_t mixed = mix(object);
  uint64_t taker = atomic_load_explicit(&entry_of(mixed)->taker, memory_order_relaxed);
  uint64_t thread = thread_in(taker);
  // If the table names the calling thread as the object's last taker, the entry is out of date: a thread does not wait
  // for an object that it holds itself. Another thread must have taken the object without being recorded.
  return is_for(taker, mixed) && thread != self() ? thread : 0;
}
