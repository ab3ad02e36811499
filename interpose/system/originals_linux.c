// See originals.h.
#include "system/originals.h"
#include <dlfcn.h>
#include "system/own.h"

// The original dlsym, to which the assembly code in dlsym_linux_*.S jumps. mt_dlsym_next sets it before the first
// jump. Several threads may do that at once, because all find the same function.
_Atomic(mt_dlsym) mt_next_dlsym;

mt_dlsym mt_dlsym_next(void) {
  static const char *const versions[] = {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.34"};
  mt_dlsym next = atomic_load_explicit(&mt_next_dlsym, memory_order_relaxed);
  for (unsigned i = 0; !next && i < sizeof versions / sizeof *versions; i++) next = (mt_dlsym)dlvsym(RTLD_NEXT, "dlsym",
      versions[i]);
  atomic_store_explicit(&mt_next_dlsym, next, memory_order_relaxed);
  return next;
}

void *mt_next_symbol(const char *name) { return mt_dlsym_next()(RTLD_NEXT, name); }

#define X(name) #name,
static const char *const original_names[MT_ORIGINAL_COUNT] = {MT_ORIGINALS(X)};
#undef X
_Atomic(void *) mt_originals[MT_ORIGINAL_COUNT];

void *mt_original_find(int at) {
  void *found = mt_next_symbol(original_names[at]);
  atomic_store_explicit(&mt_originals[at], found, memory_order_relaxed);
  return found;
}

// Finds all originals when the library is loaded. A later lookup would wait for a thread that is loading a library,
// and that library's constructors may wait for the caller: a deadlock. Constructors of other libraries that run
// before this one look up the functions that they call; that is safe while the program starts.
__attribute__((constructor)) static void find_all(void) {
  for (int i = 0; i < MT_ORIGINAL_COUNT; i++)
    if (!mt_original_find(i)) dlerror(); // the C library lacks it; the program must not see this error
}

void mt_own_lock(pthread_mutex_t *mutex) { ORIGINAL(pthread_mutex_lock)(mutex); }
void mt_own_unlock(pthread_mutex_t *mutex) { ORIGINAL(pthread_mutex_unlock)(mutex); }
int mt_own_nanosleep(const struct timespec *time, struct timespec *left) { return ORIGINAL(nanosleep)(time, left); }
int mt_own_poll(struct pollfd *one, int milliseconds) { return ORIGINAL(poll)(one, 1, milliseconds); }
int mt_own_sem_wait(sem_t *semaphore) { return ORIGINAL(sem_wait)(semaphore); }
int mt_own_sem_timedwait(sem_t *semaphore, const struct timespec *until) { return ORIGINAL(sem_timedwait)(semaphore,
    until); }
int mt_own_sem_post(sem_t *semaphore) { return ORIGINAL(sem_post)(semaphore); }
