// macOS: asks dyld for names (system/place_darwin.c); dyld also knows the functions in the shared cache.
//
// Memory order: all accesses are relaxed. A thread adds an address to a set by writing a slot. The drainer (the
// tracer's thread that sends records to the collector) reads all slots in each round. If it does not see a new address
// yet, it finds the address in the next round. If the set is full, reports show the address instead of a name.
#include "stacks/symbols.h"
#include <stdatomic.h>
#include <string.h>
#include "system/place.h"
#include "core/fact.h"

enum { CAPACITY = 1 << 14, MOST_PROBES = 64, SYMBOLS_ROOM = 64 << 10, LONGEST_NAME = 1024 };

static _Atomic uint64_t wanted[CAPACITY];
static _Atomic unsigned wanted_count;
static uint8_t named[CAPACITY]; // 1 if the drainer has looked up the address
static unsigned named_count;
static char found_symbols[SYMBOLS_ROOM];

void mt_symbols_want(const uint64_t *addresses, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    size_t slot = addresses[i] * 0x9e3779b97f4a7c15ull >> 50;
    for (int probe = 0; probe < MOST_PROBES; probe++, slot = (slot + 1) % CAPACITY) {
      uint64_t there = 0;
      if (atomic_compare_exchange_strong_explicit(&wanted[slot], &there, addresses[i], memory_order_relaxed,
          memory_order_relaxed)) {
        atomic_fetch_add_explicit(&wanted_count, 1, memory_order_relaxed);
        break;
      }
      if (there == addresses[i]) break;
    }
  }
}

const void *mt_symbols_new(size_t *length) {
  size_t used = 0;
  for (size_t i = 0; i < CAPACITY && named_count != atomic_load_explicit(&wanted_count, memory_order_relaxed) &&
      used < SYMBOLS_ROOM - LONGEST_NAME; i++) {
    uint64_t address = atomic_load_explicit(&wanted[i], memory_order_relaxed);
    struct mt_place place;
    if (!address || named[i]) continue;
    named[i] = 1;
    named_count++;
    // Look up the address before the return address, which is inside the call: the return address itself may already
    // belong to the next function.
    if (!mt_place_of((const void *)(uintptr_t)(address - 1), &place) || !place.symbol) continue;
    size_t n = strnlen(place.symbol, LONGEST_NAME - 64);
    used = mt_fact_put(found_symbols, used, SYMBOLS_ROOM, MT_FACT_SYMBOL, address, place.symbol, n);
  }
  *length = used;
  return found_symbols;
}
