// From a pointer to an ObjectID. Rule: a pointer is not an identity: an object made at the address of a dead one gets
// its own number, because the creating call overwrites the entry; no dealloc hook is needed for that.
//
// Open addressing in a table that never moves and whose keys never leave, so readers need no lock. Memory order: a
// writer claims an entry by compare-and-swap of its key and then stores the number with release. A reader that finds
// the key loads the number with acquire; 0 means that its creator has not come to the store yet, so the object cannot
// have reached the reader by a legal way, and it is taken as unknown. Two live objects never share an address, so an
// entry has one writer at a time.
//
// Numbers say nothing of the order of two threads: each takes some at a time, because a counter that all count with is
// a locked instruction for every object, and a cache line that moves from core to core.
#ifndef MTRACE_IDENTITY_H
#define MTRACE_IDENTITY_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "system/hidden.h"

// The number of a command buffer of the tracer's own, which measures the device: see features/samplecheck.c.
#define MT_TRACERS_OWN (MT_FIRST_LOCK - 1)

enum { MT_IDENTITY_BITS = 20 };
struct mt_identity {
  _Atomic uintptr_t key;
  _Atomic uint32_t number;
};
extern MT_HIDDEN struct mt_identity *mt_identities; // NULL until there is a table

// Objects are aligned to 16 bytes; Fibonacci hashing spreads what is left (Knuth, TAOCP 3, 6.4).
static inline size_t mt_identity_slot(const void *object) {
    return (size_t)(((uintptr_t)object >> 4) * 0x9e3779b97f4a7c15ull >> (64 - MT_IDENTITY_BITS)); }

// The number of an object that is known and where it belongs, as nearly all are; else 0.
static inline uint32_t mt_identity_known(const void *object) {
  struct mt_identity *e = &mt_identities[mt_identity_slot(object)];
  if (__builtin_expect(atomic_load_explicit(&e->key, memory_order_relaxed) != (uintptr_t)object, 0)) return 0;
  uint32_t number = atomic_load_explicit(&e->number, memory_order_acquire);
  return __builtin_expect((int32_t)number > 0, 1) ? number : 0; // a lock's may have been there before
}

// Reserves the table's address space. False when there is none.
bool mt_identity_start(void);

// The number of an object; one never seen before gets its number now. 0 for NULL and when the table is full.
uint32_t mt_identity_of(const void *object);

// The number of a lock of the program's, from a sequence of their own, so that which locks are contended does not
// change the numbers of Metal's objects; 0 when the table is full.
uint32_t mt_identity_of_lock(const void *lock);

// Gives a new number to the object a call on thread t has just made, whatever was at its address before.
struct thread;
uint32_t mt_identity_new(struct thread *t, const void *object);

// Gives object the number of another one: a wrapper's inner object is the same object to the user.
void mt_identity_alias(const void *object, uint32_t number);

// Takes a number back from an object that is about to go: whatever comes to its address next gets its own. The number
// it had, 0 when it had none.
uint32_t mt_identity_retire(const void *object);
#endif
