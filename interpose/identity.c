// The table behind identity.h: see there for its rule and memory order.
#include "identity.h"
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include "thread.h"

enum { CAPACITY_BITS = 20, CAPACITY = 1 << CAPACITY_BITS, MOST_PROBES = 128 };

struct entry {
  _Atomic uintptr_t key;
  _Atomic uint32_t number;
};

static struct entry *table;
static _Atomic uint32_t last_number, last_lock = MT_FIRST_LOCK - 1;

bool mt_identity_start(void) {
  void *memory = mmap(NULL, CAPACITY * sizeof(struct entry), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  table = memory;
  return true;
}

// Objects are aligned to 16 bytes; Fibonacci hashing spreads what is left (Knuth, TAOCP 3, 6.4).
static inline size_t slot_of(uintptr_t key) { return (size_t)((key >> 4) * 0x9e3779b97f4a7c15ull >> (64 - CAPACITY_BITS)); }

// The first of so many numbers that nobody else gets.
static uint32_t numbers(uint32_t count) { return atomic_fetch_add_explicit(&last_number, count, memory_order_relaxed) + 1; }

static uint32_t number_of(struct thread *t) {
  enum { AT_A_TIME = 64 };
  if (t->numbers_left == 0) {
    t->next_number = numbers(AT_A_TIME);
    t->numbers_left = AT_A_TIME;
  }
  t->numbers_left--;
  return t->next_number++;
}

static struct entry *entry_of(uintptr_t key) {
  size_t slot = slot_of(key);
  for (int probe = 0; probe < MOST_PROBES; probe++, slot = (slot + 1) & (CAPACITY - 1)) {
    struct entry *e = &table[slot];
    uintptr_t found = atomic_load_explicit(&e->key, memory_order_relaxed);
    if (found == 0 && atomic_compare_exchange_strong_explicit(&e->key, &found, key, memory_order_relaxed, memory_order_relaxed)) return e;
    if (found == key) return e;
  }
  mt_count(&mt_region->unnumbered);
  return NULL;
}

// The same for an address that is most likely known and where it belongs.
static inline struct entry *known_entry_of(uintptr_t key) {
  struct entry *e = &table[slot_of(key)];
  return __builtin_expect(atomic_load_explicit(&e->key, memory_order_relaxed) == key, 1) ? e : entry_of(key);
}

uint32_t mt_identity_of(const void *object) {
  if (!object) return 0;
  struct entry *e = known_entry_of((uintptr_t)object);
  if (!e) return 0;
  uint32_t number = atomic_load_explicit(&e->number, memory_order_acquire);
  if (__builtin_expect((int32_t)number > 0, 1)) return number; // not 0, and not a lock's that was there before
  uint32_t fresh = numbers(1);
  return atomic_compare_exchange_strong_explicit(&e->number, &number, fresh, memory_order_acq_rel, memory_order_acquire) ? fresh : number;
}

uint32_t mt_identity_of_lock(const void *lock) {
  struct entry *e = entry_of((uintptr_t)lock);
  if (!e) return 0;
  uint32_t number = atomic_load_explicit(&e->number, memory_order_acquire);
  if (number >= MT_FIRST_LOCK) return number;
  uint32_t fresh = atomic_fetch_add_explicit(&last_lock, 1, memory_order_relaxed) + 1;
  return atomic_compare_exchange_strong_explicit(&e->number, &number, fresh, memory_order_acq_rel, memory_order_acquire) ? fresh : number;
}

void mt_identity_alias(const void *object, uint32_t number) {
  if (!object) return;
  struct entry *e = entry_of((uintptr_t)object);
  if (e) atomic_store_explicit(&e->number, number, memory_order_release);
}

uint32_t mt_identity_new(struct thread *t, const void *object) {
  if (!object) return 0;
  struct entry *e = known_entry_of((uintptr_t)object);
  if (!e) return 0;
  uint32_t number = number_of(t);
  atomic_store_explicit(&e->number, number, memory_order_release);
  return number;
}

void mt_identity_retire(const void *object) {
  if (object) mt_identity_alias(object, 0);
}
