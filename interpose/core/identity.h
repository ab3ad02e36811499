// Maps a pointer to an ObjectID, a number that no other object gets. Rule: a pointer is not an identity, because a
// new object may get the address of a dead one. The call that creates an object overwrites the entry of its address
// with a new number; that needs no hook of dealloc.
//
// The table uses open addressing, never moves and never removes keys, so readers need no lock. Memory order: a writer
// claims an entry by compare-and-swap of the key and then stores the number with release. A reader that finds the key
// loads the number with acquire. If the number is 0, the creator has not stored it yet. The reader then treats the
// object as unknown: nobody can use an object whose creation has not returned. Two live objects never share an
// address, so an entry has one writer at a time.
//
// If different threads create objects, the numbers do not show the order of creation: each thread reserves several
// numbers at a time. A shared counter would cost a locked instruction per object and move a cache line between cores.
#ifndef MTRACE_IDENTITY_H
#define MTRACE_IDENTITY_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "system/hidden.h"

// The ObjectID of the tracer's own command buffer, with which features/samplecheck.c tests the device's counter
// samples. Reports must not count that command buffer as the program's.
#define MT_TRACERS_OWN (MT_FIRST_LOCK - 1)

enum { MT_IDENTITY_BITS = 20 };
struct mt_identity {
  _Atomic uintptr_t key;
  _Atomic uint32_t number;
};
extern MT_HIDDEN struct mt_identity *mt_identities; // NULL until there is a table

// Returns the index of the preferred entry for an object's address. Objects are aligned to 16 bytes, so the low four
// bits are dropped; Fibonacci hashing spreads the other bits (Knuth, TAOCP 3, 6.4).
static inline size_t mt_identity_slot(const void *object) {
    return (size_t)(((uintptr_t)object >> 4) * 0x9e3779b97f4a7c15ull >> (64 - MT_IDENTITY_BITS)); }

// Returns the number of an object if its address is in its preferred entry, as is the case for nearly all known
// objects. Otherwise returns 0, and the caller must search with mt_identity_of.
static inline uint32_t mt_identity_known(const void *object) {
  struct mt_identity *e = &mt_identities[mt_identity_slot(object)];
  if (__builtin_expect(atomic_load_explicit(&e->key, memory_order_relaxed) != (uintptr_t)object, 0)) return 0;
  uint32_t number = atomic_load_explicit(&e->number, memory_order_acquire);
  return __builtin_expect((int32_t)number > 0, 1) ? number : 0; // negative: number of an earlier lock here
}

// Returns the number of an object, or 0 if the object has none. Unlike mt_identity_of, it assigns no number.
uint32_t mt_identity_find(const void *object);

// Maps the table's memory, which takes no pages until they are written. Returns false on failure.
bool mt_identity_start(void);

// Returns the number of an object. An object that is seen for the first time gets its number now. Returns 0 for NULL
// and when the table is full.
uint32_t mt_identity_of(const void *object);

// Returns the number of one of the program's locks, or 0 when the table is full. Locks are numbered separately, so
// that the numbers of Metal's objects are the same in every run, whichever locks are contended.
uint32_t mt_identity_of_lock(const void *lock);

// Gives a new number to an object that a call on thread t has just created, and returns it. Without this, an object
// at a reused address would be reported as the dead object that had the address before.
struct thread;
uint32_t mt_identity_new(struct thread *t, const void *object);

// Gives `object` a number that another object already has: a wrapper and the object inside it are one object to the
// user.
void mt_identity_alias(const void *object, uint32_t number);

// Removes the number of an object that is about to be freed, so that the next object at its address gets its own
// number. Returns the removed number, or 0.
uint32_t mt_identity_retire(const void *object);
#endif
