// The C library's functions that the library replaces, for the replacements and for the tracer itself to call. Linux
// only.
//
// Each is the next one in the order of the libraries, so a sanitizer's function stays in between. Without a version
// dlsym finds the default version, which for condition variables is not the oldest.
#ifndef MTRACE_ORIGINALS_H
#define MTRACE_ORIGINALS_H
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "system/hidden.h"

// The C library's headers use these functions where a program is compiled with _FORTIFY_SOURCE.
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
char *__fgets_chk(char *, size_t, int, FILE *);

#define MT_ORIGINALS(X)                                                                                              \
  X(pthread_mutex_lock) X(pthread_mutex_trylock) X(pthread_mutex_unlock) X(pthread_rwlock_rdlock) \
      X(pthread_rwlock_tryrdlock) X(pthread_rwlock_wrlock) \
  X(pthread_rwlock_trywrlock) X(pthread_rwlock_unlock) X(pthread_cond_wait) X(pthread_cond_timedwait) \
      X(pthread_cond_clockwait) X(pthread_cond_signal) X(pthread_cond_broadcast) \
  X(sem_wait) X(sem_timedwait) X(sem_clockwait) X(sem_trywait) X(sem_post) X(waitpid) X(wait4) X(wait) X(waitid) \
      X(system) \
  X(read) X(__read_chk) X(readv) X(pread) X(pread64) X(write) X(writev) X(recv) X(__recv_chk) X(recvfrom) X(recvmsg) \
  X(send) X(sendto) X(sendmsg) X(accept) X(accept4) X(connect) X(pwrite) X(pwrite64) X(fsync) X(fdatasync)           \
  X(poll) X(__poll_chk) X(ppoll) X(select) X(pselect) X(epoll_ctl) X(epoll_wait) X(epoll_pwait) X(fread) \
  X(__fread_chk) X(fgets) X(__fgets_chk) X(getdelim) X(nanosleep)                                                    \
  X(clock_nanosleep) X(usleep) X(sleep) X(pthread_join) X(pthread_barrier_wait) X(syscall)
#define X(name) MT_AT_##name,
enum { MT_ORIGINALS(X) MT_ORIGINAL_COUNT };
#undef X
extern MT_HIDDEN _Atomic(void *) mt_originals[MT_ORIGINAL_COUNT];

// Looks up an original that was not found yet.
void *mt_original_find(int at);

// The original that was found, or NULL.
#define FOUND(name) ((__typeof__(&name))atomic_load_explicit(&mt_originals[MT_AT_##name], memory_order_relaxed))

#define ORIGINAL(name) ({ \
  void *found = (void *)FOUND(name); \
  (__typeof__(name) *)(__builtin_expect(found != NULL, 1) ? found : mt_original_find(MT_AT_##name)); \
})

// The symbol of that name that would have been found without this library.
void *mt_next_symbol(const char *name);

// The next dlsym: the C library's own, or a wrapper in another library.
typedef void *(*mt_dlsym)(void *, const char *);
mt_dlsym mt_dlsym_next(void);
#endif
