// The C library's own versions of the functions that this library replaces. The replacements and the tracer itself
// call them. Linux only.
//
// Each original is the next function with that name in the loading order of the libraries. If a sanitizer's library
// comes in between, the sanitizer's version is the original, so that it still works. The lookup names no symbol
// version: dlsym then finds the default version, which for condition variables is not the oldest.
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

// The checked variants of these functions: the C library's headers use them in a program compiled with
// _FORTIFY_SOURCE.
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

// Finds an original, stores it and returns it. (An original is a function of the C library that this library
// replaces.) `at` is its index, MT_AT_*.
void *mt_original_find(int at);

// FOUND(name) returns the C library's function with this name if an earlier call has found it, otherwise NULL.
// ORIGINAL(name) returns the function, and looks it up if necessary.
#define FOUND(name) ((__typeof__(&name))atomic_load_explicit(&mt_originals[MT_AT_##name], memory_order_relaxed))

#define ORIGINAL(name) ({ \
  void *found = (void *)FOUND(name); \
  (__typeof__(name) *)(__builtin_expect(found != NULL, 1) ? found : mt_original_find(MT_AT_##name)); \
})

// Returns the address of the symbol that a program would find under this name if this library were not loaded.
void *mt_next_symbol(const char *name);

// Returns the original dlsym: the C library's, or a wrapper in another library. dlsym itself cannot be used to find
// it, because it is replaced.
typedef void *(*mt_dlsym)(void *, const char *);
mt_dlsym mt_dlsym_next(void);
#endif
