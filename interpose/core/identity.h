// From a pointer to an ObjectID. Rule: a pointer is not an identity. An object at the address of a dead object gets its
// own number, because the creating call overwrites the entry; that needs no dealloc hook.
//
// The table uses open addressing, never moves, and never removes keys, so readers need no lock. Memory order: a writer
// claims an entry by compare-and-swap of its key and then stores the number with release. A reader that finds the key
// loads the number with acquire. A number of 0 means that the creator has not stored it yet; then the object cannot
// have reached the reader legally, and the reader treats it as unknown. Two live objects never share an address, so an
// entry has one writer at a time.
//
// The order of numbers says nothing about the order of creations on different threads: each thread reserves several
// numbers at a time. A shared counter would cost a locked instruction per object and move a cache line between cores.
#ifndef MTRACE_IDENTITY_H
#define MTRACE_IDENTITY_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "system/hidden.h"

// The number of the tracer's own command buffer, which tests the device's counter samples: see features/samplecheck.c.
#define MT_TRACERS_OWN (MT_FIRST_LOCK - 1)

enum { MT_IDENTITY_BITS = 20 };
struct mt_identity {
  _Atomic uintptr_t key;
  _Atomic uint32_t number;
};
extern MT_HIDDEN struct mt_identity *mt_identities; // NULL until there is a table

// Objects are aligned to 16 bytes; Fibonacci hashing spreads the remaining bits (Knuth, TAOCP 3, 6.4).
static inline size_t mt_identity_slot(const void *object) {
    return (size_t)(((uintptr_t)object >> 4) * 0x9e3779b97f4a7c15ull >> (64 - MT_IDENTITY_BITS)); }

// The number of an object that is in its preferred entry, as nearly all known objects are; otherwise 0.
static inline uint32_t mt_identity_known(const void *object) {
  struct mt_identity *e = &mt_identities[mt_identity_slot(object)];
  if (__builtin_expect(atomic_load_explicit(&e->key, memory_order_relaxed) != (uintptr_t)object, 0)) return 0;
  uint32_t number = atomic_load_explicit(&e->number, memory_order_acquire);
  return __builtin_expect((int32_t)number > 0, 1) ? number : 0; // the address may have belonged to a lock before
}

// Reserves the table's address space. Returns false on failure.
bool mt_identity_start(void);

// The number of an object. An object seen for the first time gets its number now. 0 for NULL and when the table is
// full.
uint32_t mt_identity_of(const void *object);

// The number of a lock of the program, or 0 when the table is full. Locks have a sequence of their own, so that the
// numbers of Metal's objects do not depend on which locks are contended.
uint32_t mt_identity_of_lock(const void *lock);

// Gives a new number to an object that a call on thread t has just created, whatever object had its address before.
struct thread;
uint32_t mt_identity_new(struct thread *t, const void *object);

// Gives object the number of another object: to the user, a wrapper and its inner object are the same.
void mt_identity_alias(const void *object, uint32_t number);

// Removes the number of an object that is about to be freed, so that the next object at its address gets its own.
// Returns the removed number, 0 when there was none.
uint32_t mt_identity_retire(const void *object);
#endif
