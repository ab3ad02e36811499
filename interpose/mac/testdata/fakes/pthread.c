// libpthread beside POSIX, and the originals of what the library replaces: the next ones in the order of the libraries, so that a
// sanitizer's stay in between. The rules are in the headers.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ORIGINAL(type, name, parameters, arguments) \
  type original_##name parameters { \
    static _Atomic(type(*) parameters) next; \
    type(*found) parameters = atomic_load_explicit(&next, memory_order_relaxed); \
    if (!found) { \
      found = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
      atomic_store_explicit(&next, found, memory_order_relaxed); \
    } \
    return found arguments; \
  }
ORIGINAL(int, pthread_mutex_lock, (pthread_mutex_t *lock), (lock))
ORIGINAL(int, pthread_mutex_trylock, (pthread_mutex_t *lock), (lock))
ORIGINAL(int, pthread_mutex_unlock, (pthread_mutex_t *lock), (lock))
ORIGINAL(int, pthread_rwlock_rdlock, (pthread_rwlock_t *lock), (lock))
ORIGINAL(int, pthread_rwlock_wrlock, (pthread_rwlock_t *lock), (lock))
ORIGINAL(int, pthread_rwlock_unlock, (pthread_rwlock_t *lock), (lock))
ORIGINAL(int, pthread_cond_wait, (pthread_cond_t *condition, pthread_mutex_t *mutex), (condition, mutex))
ORIGINAL(int, pthread_cond_timedwait, (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until), (condition, mutex, until))
ORIGINAL(int, pthread_cond_signal, (pthread_cond_t *condition), (condition))
ORIGINAL(int, pthread_cond_broadcast, (pthread_cond_t *condition), (condition))

int original_pthread_cond_timedwait_relative_np(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
  struct timespec until;
  if (!time || time->tv_nsec < 0 || time->tv_nsec >= 1000000000) return EINVAL;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += time->tv_sec + (until.tv_nsec + time->tv_nsec) / 1000000000;
  until.tv_nsec = (until.tv_nsec + time->tv_nsec) % 1000000000;
  return original_pthread_cond_timedwait(condition, mutex, &until);
}

int pthread_threadid_np(const void *thread, uint64_t *id) {
  if (!id) return EINVAL;
  if (thread) return ESRCH; // of others Linux does not tell
  *id = (uint64_t)syscall(SYS_gettid);
  return 0;
}

int mac_setname(const char *name) {
  if (strlen(name) > 63) {
    errno = ENAMETOOLONG;
    return -1;
  }
  char cut[16] = "";
  strncpy(cut, name, sizeof cut - 1);
  return (pthread_setname_np)(pthread_self(), cut);
}

static void bounds(pthread_t thread, char **low, size_t *size) {
  pthread_attr_t attributes;
  *low = NULL, *size = 0;
  if (pthread_getattr_np(thread, &attributes) != 0) return;
  pthread_attr_getstack(&attributes, (void **)low, size);
  pthread_attr_destroy(&attributes);
}
void *pthread_get_stackaddr_np(pthread_t thread) {
  char *low;
  size_t size;
  bounds(thread, &low, &size);
  return low + size;
}
size_t pthread_get_stacksize_np(pthread_t thread) {
  char *low;
  size_t size;
  bounds(thread, &low, &size);
  return size;
}
