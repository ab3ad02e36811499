// The hash table that maps an object's address to its ObjectID. identity.h explains its rule and memory order.
#include "core/identity.h"
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include "core/thread.h"

enum { ENTRIES = 1 << MT_IDENTITY_BITS, MOST_PROBES = 128 };

struct mt_identity *mt_identities;
static _Atomic uint32_t last_number, last_lock = MT_FIRST_LOCK - 1;

bool mt_identity_start(void) {
  void *memory = mmap(NULL, ENTRIES * sizeof(struct mt_identity), PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  mt_identities = memory;
  return true;
}

// Reserves count consecutive object numbers for the caller and returns the first.
static uint32_t numbers(uint32_t count) { return atomic_fetch_add_explicit(&last_number, count, memory_order_relaxed) +
    1; }

static uint32_t number_of(struct thread *t) {
  enum { AT_A_TIME = 64 };
  if (t->next_number == t->last_number) {
    t->next_number = numbers(AT_A_TIME);
    t->last_number = t->next_number + AT_A_TIME;
  }
  return t->next_number++;
}

static struct mt_identity *entry_of(uintptr_t key) {
  size_t slot = mt_identity_slot((const void *)key);
  for (int probe = 0; probe < MOST_PROBES; probe++, slot = (slot + 1) & (ENTRIES - 1)) {
    struct mt_identity *e = &mt_identities[slot];
    uintptr_t found = atomic_load_explicit(&e->key, memory_order_relaxed);
    if (found == 0 && atomic_compare_exchange_strong_explicit(&e->key, &found, key, memory_order_relaxed,
        memory_order_relaxed)) return e;
    if (found == key) return e;
  }
  mt_count(&mt_region->unnumbered);
  return NULL;
}

// Returns the same entry as entry_of, but faster for an address that is already in its preferred entry, the first one
// that a search looks at.
static inline struct mt_identity *known_entry_of(uintptr_t key) {
  struct mt_identity *e = &mt_identities[mt_identity_slot((const void *)key)];
  return __builtin_expect(atomic_load_explicit(&e->key, memory_order_relaxed) == key, 1) ? e : entry_of(key);
}

uint32_t mt_identity_of(const void *object) {
  uint32_t number = mt_identity_known(object);
  if (__builtin_expect(number != 0, 1)) return number;
  if (!object) return 0;
  struct mt_identity *e = entry_of((uintptr_t)object);
  if (!e) return 0;
  number = atomic_load_explicit(&e->number, memory_order_acquire);
  if ((int32_t)number > 0) return number; // the address was not in its preferred entry
  uint32_t fresh = numbers(1);
  return atomic_compare_exchange_strong_explicit(&e->number, &number, fresh, memory_order_acq_rel,
      memory_order_acquire) ? fresh : number;
}

uint32_t mt_identity_find(const void *object) {
  size_t slot = mt_identity_slot(object);
  for (int probe = 0; probe < MOST_PROBES; probe++, slot = (slot + 1) & (ENTRIES - 1)) {
    uintptr_t found = atomic_load_explicit(&mt_identities[slot].key, memory_order_relaxed);
    if (found == 0) return 0;
    if (found != (uintptr_t)object) continue;
    uint32_t number = atomic_load_explicit(&mt_identities[slot].number, memory_order_acquire);
    return (int32_t)number > 0 ? number : 0; // the address may have belonged to a lock before
  }
  return 0;
}

uint32_t mt_identity_of_lock(const void *lock) {
  struct mt_identity *e = entry_of((uintptr_t)lock);
  if (!e) return 0;
  uint32_t number = atomic_load_explicit(&e->number, memory_order_acquire);
  if (number >= MT_FIRST_LOCK) return number;
  uint32_t fresh = atomic_fetch_add_explicit(&last_lock, 1, memory_order_relaxed) + 1;
  return atomic_compare_exchange_strong_explicit(&e->number, &number, fresh, memory_order_acq_rel,
      memory_order_acquire) ? fresh : number;
}

void mt_identity_alias(const void *object, uint32_t number) {
  if (!object) return;
  struct mt_identity *e = entry_of((uintptr_t)object);
  if (e) atomic_store_explicit(&e->number, number, memory_order_release);
}

uint32_t mt_identity_new(struct thread *t, const void *object) {
  if (!object) return 0;
  struct mt_identity *e = known_entry_of((uintptr_t)object);
  if (!e) return 0;
  uint32_t number = number_of(t);
  atomic_store_explicit(&e->number, number, memory_order_release);
  return number;
}

uint32_t mt_identity_retire(const void *object) {
  struct mt_identity *e = object ? entry_of((uintptr_t)object) : NULL;
  return e ? atomic_exchange_explicit(&e->number, 0, memory_order_acq_rel) : 0;
}
