// Keeps the numbers of objects that have returned a handle (shared.h). Programs create few handles of shared events and
// textures, mostly to send them to another process. So a list of 64 objects under a lock is enough.
#include "features/shared.h"
#include <pthread.h>
#include "hook/hooks.h"
#include "core/identity.h"
#include "system/own.h"

enum { MOST = 64 };

_Atomic unsigned mt_shared_count;
static struct {
  id object;
  uint32_t number;
} list[MOST];
static pthread_mutex_t shared_mutex = PTHREAD_MUTEX_INITIALIZER;

static unsigned count(void) { return atomic_load_explicit(&mt_shared_count, memory_order_relaxed); }

// Returns the index of an object in the list, or the list's length if it is not there. The caller holds the lock.
static unsigned find_shared(id object) {
  unsigned i = 0;
  while (i < count() && list[i].object != object) i++;
  return i;
}

void mt_shared_note(id object, uint32_t number) {
  mt_own_lock(&shared_mutex);
  unsigned i = find_shared(object);
  if (i < MOST) {
    list[i].object = object;
    list[i].number = number;
    if (i == count()) atomic_store_explicit(&mt_shared_count, i + 1, memory_order_relaxed);
  }
  mt_own_unlock(&shared_mutex);
}

uint32_t mt_shared_again(struct thread *t, unsigned family, id object, uint32_t number) {
  if (!object || count() == 0) return number;
  mt_own_lock(&shared_mutex);
  unsigned i = find_shared(object);
  uint32_t before = i < count() ? list[i].number : 0;
  mt_own_unlock(&shared_mutex);
  if (!before) return number;
  mt_identity_alias(object, before);
  mt_made_layers(t, family, object, before);
  return before;
}

void mt_shared_remove(id object) {
  mt_own_lock(&shared_mutex);
  unsigned i = find_shared(object), all = count();
  if (i < all) {
    list[i] = list[all - 1];
    atomic_store_explicit(&mt_shared_count, all - 1, memory_order_relaxed);
  }
  mt_own_unlock(&shared_mutex);
}
