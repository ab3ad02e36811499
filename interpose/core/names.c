// See names.h.
#include "core/names.h"
#include <stdatomic.h>

enum { ENTRY_BITS = 11, WAYS = 2 }; // a key may be in either of two neighbouring entries
static struct name {
  _Atomic uint64_t name, mixed;
} names[WAYS << ENTRY_BITS];

static inline uint64_t key_of(const void *lock, const void *waiter) {
  uint64_t h = (uint64_t)(uintptr_t)lock * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)waiter * 0xc2b2ae3d27d4eb4fu;
  return h ^ h >> 32;
}
static inline struct name *entries_of(uint64_t key) {
    return &names[key * 0x9e3779b97f4a7c15u >> (64 - ENTRY_BITS) << 1]; }

uint64_t mt_name_known(const void *lock, const void *waiter) {
  uint64_t key = key_of(lock, waiter);
  struct name *e = entries_of(key);
  for (int i = 0; i < WAYS; i++) {
    uint64_t name = atomic_load_explicit(&e[i].name, memory_order_relaxed);
    if (name && (atomic_load_explicit(&e[i].mixed, memory_order_relaxed) ^ name) == key) return name;
  }
  return 0;
}

void mt_name_keep(const void *lock, const void *waiter, uint64_t name) {
  uint64_t key = key_of(lock, waiter);
  struct name *e = entries_of(key);
  if (atomic_load_explicit(&e->name, memory_order_relaxed)) e++;
  atomic_store_explicit(&e->name, name, memory_order_relaxed);
  atomic_store_explicit(&e->mixed, key ^ name, memory_order_relaxed);
}
